"""What is read out of trials against what people read: results of two arms, direction, words of people."""
