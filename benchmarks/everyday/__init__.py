"""Short everyday questions to the pages of two small companies, each with the file that answers it.

`invoicing` is written as help pages usually are: the words of a question often are in the answer.
`mealbox` avoids that on purpose, so that a page is found by its meaning or not at all.
"""
