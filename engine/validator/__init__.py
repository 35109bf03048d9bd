"""How much ways of running the model differ, stage by stage: regimes, metrics, verdicts, reports."""
