-- older code: runs
-- 0050_whose_account.sql took an account for that of the place where its person has roles. The account belongs to the maker of the link that set
-- its factors, and a person may have accepted an offer of another place since: of the staff too, whom 0050 preferred to every merchant.

-- A role came with the link if it was given before the link was used, by the same people (not beside it), and was no offer.
with last_used as (
  select person_id, max(used_at) as used_at
    from invitations
   where used_at is not null and not is_offer
   group by person_id
  having bool_and(place is null)
), came as (
  select u.person_id,
         case when bool_or(r.merchant_id = 0) then 0
              when count(distinct r.merchant_id) = 1 then min(r.merchant_id) end as place
    from last_used u
    left join person_roles r
      on r.person_id = u.person_id and not r.to_accept and not r.beside_link and r.granted_at <= u.used_at
   group by u.person_id
)
-- Null where nothing shows it: a second person then compares the account code before a further role counts.
update persons p
   set opened_by = c.place
  from came c
 where p.person_id = c.person_id and p.status = 'active' and p.opened_by is distinct from c.place;

update person_roles r
   set beside_link = true
  from persons p
 where p.person_id = r.person_id and r.to_accept and not r.beside_link and p.status = 'active'
   and p.opened_by is distinct from r.merchant_id;

-- A link that was open when 0050 came has no place, so that its account would be known to nobody.
update invitations i
   set place = g.place
  from (select r.person_id, case when bool_or(r.merchant_id = 0) then 0
                                 when count(distinct r.merchant_id) = 1 then min(r.merchant_id) end as place
          from person_roles r
         where not r.to_accept and not r.beside_link
         group by r.person_id) g
 where g.person_id = i.person_id and i.place is null and not i.is_offer
   and i.used_at is null and i.revoked_at is null and i.expires_at > clock_now();
