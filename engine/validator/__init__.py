"""Compares ways of running the model, stage by stage: regimes, metrics, verdicts, reports."""
