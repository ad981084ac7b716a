"""Fitted maps: their forms, their files, and programs in other languages."""
