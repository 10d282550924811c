-- The forms in which texts are compared that a person wrote; src/words/comparable.ts has the same two functions. The
-- characters taken out are Unicode's Default_Ignorable_Code_Point: nobody sees them. A text of one byte for each character
-- is in both forms already.
create function comparable_reference(written text) returns text
  language sql immutable strict parallel safe as $$
    select case when octet_length(written) = char_length(written) then written
      else normalize(regexp_replace(written,
        '[\u00AD\u034F\u061C\u115F-\u1160\u17B4-\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
        '', 'g'), NFC) end
  $$;

create function comparable_person(written text) returns text
  language sql immutable strict parallel safe as $$
    select normalize(comparable_reference(written), NFKC)
  $$;
