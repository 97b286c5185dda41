"""Who a question is about: labelled questions and what the reader makes of them."""
