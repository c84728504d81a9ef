"""Classes as a picture: who inherits from whom, who holds whom, and the hop that is missing."""
