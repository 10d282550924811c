import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'

/**
 * A double of Citus on plain PostgreSQL: functions with its names, arguments and defaults. They record their calls, and refuse what Citus
 * refuses by its documentation, as far as the catalogue shows it. Nothing is distributed. So tests prove that a script is valid SQL, names
 * existing tables and keeps these rules, but not that Citus accepts it.
 */
export async function installCitusDouble(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create schema citus;
    create type citus.distribution_type as enum ('hash', 'range', 'append');
    create table citus.tables (
      name text primary key, kind text not null, column_name text, column_type text, colocation text);
    create table citus.functions (name text primary key);

    create function citus.refuse_what_hinders(table_name regclass) returns void language plpgsql as $$
    begin
      if exists (select from citus.tables where name = table_name::text) then
        raise exception 'table % is already distributed', table_name;
      end if;
      if exists (select from pg_class where oid = table_name and relispartition) then
        raise exception 'cannot distribute %, which is a partition', table_name;
      end if;
      if exists (select from pg_trigger where tgrelid = table_name and not tgisinternal) then
        raise exception 'cannot distribute relation % because it has triggers', table_name;
      end if;
      if exists (select from pg_constraint where contype = 'f' and table_name in (conrelid, confrelid)) then
        raise exception '% has foreign keys', table_name;
      end if;
    end $$;

    create function citus.create_distributed_table(
      table_name regclass, distribution_column text, distribution_type citus.distribution_type default 'hash',
      colocate_with text default 'default', shard_count int default null) returns void language plpgsql as $$
    declare
      type text;
    begin
      perform citus.refuse_what_hinders(table_name);
      select format_type(atttypid, atttypmod) into type
        from pg_attribute where attrelid = table_name and attname = distribution_column;
      if type is null then
        raise exception 'column % of % does not exist', distribution_column, table_name;
      end if;
      if exists (select from pg_index i
                  where i.indrelid = table_name and i.indisunique
                    and not exists (select from pg_attribute a
                                     where a.attrelid = table_name and a.attname = distribution_column
                                       and a.attnum = any(i.indkey::int[]))) then
        raise exception 'a unique key of % does not hold its distribution column', table_name;
      end if;
      if colocate_with <> 'none' and not exists (
           select from citus.tables t
            where t.name = colocate_with and t.kind = 'distributed' and t.column_type = type) then
        raise exception 'cannot colocate % with %', table_name, colocate_with;
      end if;
      insert into citus.tables
      values (table_name::text, 'distributed', distribution_column, type,
              case colocate_with when 'none' then table_name::text else colocate_with end);
    end $$;

    create function citus.create_reference_table(table_name regclass) returns void language plpgsql strict as $$
    begin
      perform citus.refuse_what_hinders(table_name);
      insert into citus.tables values (table_name::text, 'reference');
    end $$;

    create function citus.create_distributed_function(
      function_name regprocedure, distribution_arg_name text default null, colocate_with text default 'default',
      force_delegation bool default null) returns void language plpgsql as $$
    begin
      insert into citus.functions values (function_name::text);
    end $$`)
}

/** Runs a script with the double's functions, in its own session. */
export async function runWithCitus(url: string, script: string): Promise<void> {
  const session = openDatabase({ url, connections: 1, name: 'citus' })
  try {
    await session.unsafe('set search_path to public, citus')
    await session.unsafe(script)
  } finally {
    await session.end({ timeout: 1 })
  }
}

export type PlacedTable = {
  name: string
  kind: 'distributed' | 'reference' | 'local'
  column_name: string | null
  column_type: string | null
  colocation: string | null
}

/** Returns each of our tables with its place by the script; `local`: none. */
export async function readPlaces(sql: Sql): Promise<PlacedTable[]> {
  return sql<PlacedTable[]>`
    select c.relname as name, coalesce(t.kind, 'local') as kind, t.column_name, t.column_type, t.colocation
      from pg_class c
      left join citus.tables t on t.name = c.relname
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     order by c.relname`
}
