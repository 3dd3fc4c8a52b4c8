-- Types of a database's own, and a table with a column of each: the programs of this folder read it, send it and copy it.
CREATE EXTENSION IF NOT EXISTS hstore;
CREATE SCHEMA other;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'very "happy"', 'é');
CREATE TYPE other.mood AS ENUM ('calm', 'sad');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE DOMAIN short AS varchar(5) NOT NULL DEFAULT 'none';
CREATE DOMAIN moods AS mood[] CHECK (cardinality(VALUE) < 4);
CREATE DOMAIN even AS positive CHECK (VALUE % 2 = 0);
CREATE TYPE address AS (street text, zip positive, since daterange);
CREATE TYPE person AS (name varchar(20), mood mood, home address, others address[], extra hstore, score numeric(10,2), "at" timestamptz);
CREATE DOMAIN near AS address CHECK ((VALUE).zip < 5000);
CREATE TYPE floatrange AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE TYPE moodrange AS RANGE (subtype = mood, multirange_type_name = moodsets);

CREATE TABLE things (
    id integer PRIMARY KEY,
    a_mood mood, other_mood other.mood, some_moods mood[], a_positive positive, some_positive positive[], a_short varchar(5),
    a_moods moods, an_even even, an_address address, some_addresses address[], a_person person, some_persons person[], a_near near,
    an_int4range int4range, an_int8range int8range, a_numrange numrange, a_tsrange tsrange, a_tstzrange tstzrange, a_daterange daterange,
    a_floatrange floatrange, a_moodrange moodrange, some_ranges int4range[], some_moodranges moodrange[],
    an_int4multirange int4multirange, a_nummultirange nummultirange, a_tstzmultirange tstzmultirange, a_floatmultirange floatmultirange,
    some_moodsets moodsets, some_multiranges datemultirange[],
    a_numeric numeric, a_scaled numeric(20,5), some_numerics numeric[], a_hstore hstore, some_hstores hstore[]
);

INSERT INTO things VALUES
    (1, 'very "happy"', 'calm', '{sad,NULL,"very \"happy\"",é}', 7, '{1,2}', 'abc',
     '{ok,sad}', 8, '("1, High ""St""",1234,"[2024-01-01,2024-02-01)")', ARRAY['(a,1,)', NULL, '(,,empty)']::address[],
     ROW('ann', 'ok', ROW('x', 1, 'empty'), ARRAY[ROW('\', 2, NULL)]::address[], 'a=>1, "b c"=>NULL', 12.5, '2026-03-01 08:00+00'),
     ARRAY[ROW('bob', NULL, NULL, NULL, NULL, NULL, NULL)]::person[], '(near,12,)',
     '[1,5)', '(,100]', '[1.50,2.25]', '[2024-02-29 12:00,infinity)', '(2024-02-29 12:00+02,2024-03-01 00:00+00)', '[2024-01-31,)',
     '(1.5,Infinity]', '[sad,"very \"happy\"")', '{"[1,3)",NULL,empty}', '{"[sad,ok]","(,é)"}',
     '{[1,3),[7,9)}', '{(,1.5],(2,)}', '{[2024-02-29 12:00+02,2024-03-01 00:00+00)}', '{[1,2],(3,4)}',
     '{[sad,ok],[é,é]}', '{"{[2024-01-01,2024-01-05)}",NULL,"{}"}',
     '-12345678901234567890.000100', 12.5, '{0,NULL,NaN,1e-10,1e20}', 'k=>v, "q\"uote"=>"a,b", n=>NULL', ARRAY['a=>1', NULL, '']::hstore[]),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, 'sad', 'sad', '{}', 2147483647, '{}', '', '{}', 2, '(,,)', '{}', '(,,,,,,)', '{}', '(,,)',
     'empty', 'empty', 'empty', 'empty', 'empty', 'empty', 'empty', 'empty', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
     'Infinity', 0.00001, '{}', '', '{}'),
    (4, 'é', 'calm', '{{sad,ok},{é,sad}}', 1, '[0:1]={5,6}', 'éééé', NULL, NULL, '("",1,"(,)")', NULL, NULL, NULL, NULL,
     '(,)', '[5,5]', '(,0)', '(,)', '[2024-07-01 00:00+00,2024-07-01 00:00+00]', '(-infinity,infinity)', '[0,0]', '(,)', '{{"[1,2)"},{"(,)"}}', NULL,
     '{(,)}', '{[1,1],[2,2]}', '{(,2024-01-01 00:00+00),[2025-01-01 00:00+00,)}', '{(,)}', '{(,)}', '{}',
     1e-30, -0.5, '{{1,2},{3,4.50}}', 'empty=>"", NULL=>"NULL"', '{{a=>1},{b=>NULL}}');

CREATE TABLE returned (LIKE things);
CREATE TABLE checked (p positive, e even, s short, m moods, n near, mood mood);
