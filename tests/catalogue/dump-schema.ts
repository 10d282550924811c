import type { Db } from '../../src/platform/postgres/database.ts'

const heading = `-- The schema that the migrations make, read back from the database's own catalogue. For reading: the numbered files are what is
-- run. Written by \`npm run derive\` on PostgreSQL 18. The daily partitions of the logs are left out.
`

/**
 * Returns the tables (with their constraints, indexes and triggers), views and functions of our schema as SQL, in the order of their names. The
 * same database gives the same text. Another major version of PostgreSQL may print an expression differently.
 */
export async function dumpSchema(db: Db): Promise<string> {
  const parts = [...(await dumpTables(db)), ...(await dumpViews(db)), ...(await dumpFunctions(db))]
  return `${heading}\n${parts.join('\n\n')}\n`
}

async function dumpTables(db: Db): Promise<string[]> {
  // Without partitions, because those of a log change every day. An empty list is an empty array, never null.
  const tables = await db<
    {
      name: string
      partitioned: string | null
      options: string | null
      columns: string[]
      constraints: string[]
      rest: string[]
    }[]
  >`
    select c.relname as name,
           pg_get_partkeydef(c.oid) as partitioned,
           array_to_string(c.reloptions, ', ') as options,
           array(select concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
                          case when a.attidentity = 'a' then 'generated always as identity' end,
                          case when a.attnotnull then 'not null' end,
                          case a.attgenerated when 's' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
                                              else 'default ' || pg_get_expr(d.adbin, d.adrelid, true) end)
                   from pg_attribute a
                   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                  order by a.attnum) as columns,
           array(select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid, true))
                   from pg_constraint k
                  where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x')
                  order by array_position('{p,u,f,c,x}'::"char"[], k.contype), k.conname) as constraints,
           array(select pg_get_indexdef(i.indexrelid, 0, true)
                   from pg_index i join pg_class ic on ic.oid = i.indexrelid
                  where i.indrelid = c.oid
                    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
                  order by ic.relname)
           || array(select pg_get_triggerdef(t.oid, true)
                      from pg_trigger t
                     where t.tgrelid = c.oid and not t.tgisinternal
                     order by t.tgname) as rest
      from pg_class c
     where c.relnamespace = 'public'::regnamespace
       and c.relkind in ('r', 'p')
       and not c.relispartition
     order by c.relname collate "C"`
  return tables.map(({ name, partitioned, options, columns, constraints, rest }) => {
    const lines = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n')
    const kind = partitioned === null ? '' : ` partition by ${partitioned}`
    const settings = options === null ? '' : ` with (${options})`
    return [`create table ${name} (\n${lines}\n)${kind}${settings}`, ...rest].map((line) => `${line};`).join('\n')
  })
}

async function dumpViews(db: Db): Promise<string[]> {
  const views = await db<{ name: string; definition: string; purpose: string | null }[]>`
    select c.relname as name,
           pg_get_viewdef(c.oid, true) as definition,
           obj_description(c.oid, 'pg_class') as purpose
      from pg_class c
     where c.relnamespace = 'public'::regnamespace
       and c.relkind = 'v'
     order by c.relname collate "C"`
  return views.map(({ name, definition, purpose }) => {
    const comment = purpose === null ? '' : `\ncomment on view ${name} is '${purpose.replaceAll("'", "''")}';`
    return `create view ${name} as\n${definition}${comment}`
  })
}

async function dumpFunctions(db: Db): Promise<string[]> {
  const functions = await db<{ definition: string }[]>`
    select pg_get_functiondef(p.oid) as definition
      from pg_proc p
     where p.pronamespace = 'public'::regnamespace
     order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`
  return functions.map(({ definition }) => `${definition.replaceAll('public.', '').replace(/ +$/gm, '').trimEnd()};`)
}
