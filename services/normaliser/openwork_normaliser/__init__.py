"""Records of all sources become candidates, each work once."""
