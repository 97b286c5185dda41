"""Is the evidence enough, what is missing, what conflicts."""

from openwork_gap.assess import RetryPlan, assess, quality_of, retry_plan
from openwork_gap.thresholds import GapThresholds

__all__ = ["GapThresholds", "RetryPlan", "assess", "quality_of", "retry_plan"]
