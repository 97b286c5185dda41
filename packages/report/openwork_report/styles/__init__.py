"""References as a style prints them: Vancouver (ICMJE, NLM) and APA 7. Two styles of CSL do it; `NOTICE`: whose."""
