-- older code: stops

-- A proposal that no second person decided in time lapses: nobody decided it, and it waited for a day at least.
alter table act_proposals
  drop constraint act_proposals_status_check,
  add constraint act_proposals_status_check check (status in ('proposed', 'approved', 'refused', 'withdrawn', 'lapsed')),
  add constraint act_proposals_lapsed check (
    (status = 'lapsed') = (decided_by is not distinct from 'time')
    and (status <> 'lapsed' or decided_at >= proposed_at + interval '24 hours'));
alter table adjustments
  drop constraint adjustments_status_check,
  add constraint adjustments_status_check check (status in ('proposed', 'approved', 'refused', 'lapsed')),
  add constraint adjustments_lapsed check (
    (status = 'lapsed') = (decided_by is not distinct from 'time')
    and (status <> 'lapsed' or decided_at >= proposed_at + interval '24 hours'));
alter table anomaly_proposals
  drop constraint anomaly_proposals_status_check,
  add constraint anomaly_proposals_status_check check (status in ('proposed', 'approved', 'refused', 'lapsed')),
  add constraint anomaly_proposals_lapsed check (
    (status = 'lapsed') = (decided_by is not distinct from 'time')
    and (status <> 'lapsed' or decided_at >= proposed_at + interval '24 hours'));
alter table cap_proposals
  drop constraint cap_proposals_status_check,
  add constraint cap_proposals_status_check check (status in ('proposed', 'approved', 'refused', 'superseded', 'lapsed')),
  add constraint cap_proposals_lapsed check (
    (status = 'lapsed') = (decided_by is not distinct from 'time')
    and (status <> 'lapsed' or decided_at >= proposed_at + interval '24 hours'));
alter table destination_proposals
  drop constraint destination_proposals_status_check,
  add constraint destination_proposals_status_check check (status in ('proposed', 'confirmed', 'refused', 'withdrawn', 'lapsed')),
  add constraint destination_proposals_lapsed check (
    (status = 'lapsed') = (decided_by is not distinct from 'time')
    and (status <> 'lapsed' or decided_at >= proposed_at + interval '24 hours'));
