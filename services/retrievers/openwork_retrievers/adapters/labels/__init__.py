"""Drug labels and drug names: DailyMed (SPL), openFDA and RxNav."""
