-- Of compose.yaml: PostgreSQL's image runs it once, as postgres, with the password of the secret.
\getenv password POSTGRES_PASSWORD
create role bandama login password :'password';
create database bandama owner bandama template template0 encoding 'UTF8' locale 'C';
-- Nobody connects as the superuser from another container.
alter role postgres password null;
