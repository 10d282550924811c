-- How a merchant's pages look: the colour of their button, and a picture as it stands inside them. Both are checked before they are
-- written (src/merchants/brand-color.ts, brand-logo.ts); what the database refuses here could not be shown safely.
set local lock_timeout = '5s';
alter table merchants
  add column brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  -- 8 192 bytes in base64.
  add column brand_logo text
    check (length(brand_logo) <= 11000 and brand_logo ~ '^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$');
