"""What users say of derivatives: rules of their own, hooks, checkpoints, stops."""
