"""What waits: answers the loop's questions, runs tools, keeps threads and event loops in order."""
