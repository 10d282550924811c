-- A payout to a new number writes each index of the book, and nobody reads this one any more. A process of the version before sorts
-- for its pages until it is exchanged.
drop index beneficiaries_order;
