"""ClinicalTrials.gov API v2: registrations and posted results."""
