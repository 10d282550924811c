-- An entry of the book is found by its merchant. Only the command line, which archives one now and then, is given an id alone, and
-- looks under each merchant; the index cost every payout to a new number.
drop index beneficiaries_id;
