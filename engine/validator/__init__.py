"""How far one way of running the model is from another, stage by stage: regimes, metrics, verdicts, reports."""
