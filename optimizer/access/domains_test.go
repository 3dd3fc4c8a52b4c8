package access_test

// domain is a type that columns of keys can have, with values at its ends and on both sides of
// where parts cut it.
type domain struct {
	typ      string
	literals []string // in ascending order, without quotes
	others   []string // expressions of other types that are compared with it
	holes    []string // what may stand for a column c in a text
}

// patterns are ways to write the date of a time, on their own or with the clock.
var patterns = []string{
	"YYYY", "IYYY", "Q", "YYYY-Q", "MM", "MON", "Mon", "mon", "YYYYMM", "IW", "IYYYIW", "YYYY-IW", "MON/IW", "DDD", "DD", "D", "DY", "Dy", "dy",
	"DDMONYYYY", "YYYY-MM-DD", "YYYYDDD",
}

var clocks = []string{"HH24", "MI", "YYYYMMDDHH24", "YYYY-MM-DD HH24:MI"}

// written are the holes of patterns for the column c.
func written(patterns ...[]string) []string {
	var out []string
	for _, list := range patterns {
		for _, p := range list {
			out = append(out, "{c:"+p+"}")
		}
	}
	return out
}

// digits are those of hashes of the column c: few enough to be counted out, or not.
var digits = []string{"{md5(c):1}", "{md5(c || E'\\n'):2}", "{md5('x' || c || 'y'):3}{c}"}

var (
	numbers = append([]string{"{c}", "{c:05}", "{c:019}", "{bucket(c, 10)}", "{bucket(c, 7):019}", "{bucket(c, 1000)}"},
		digits...)
	words = append([]string{"{c}"}, digits...)
)

// moments are times of every kind of unit, as timestamps.
var moments = []string{
	"-infinity", "4713-01-01 00:00:00 BC", "0001-12-31 23:59:59.999999 BC", "0001-01-01 00:00:00", "1999-12-31 23:59:59.999999", "2000-01-01 00:00:00",
	"2016-08-31 23:59:59.999999", "2016-09-01 00:00:00", "2016-09-01 00:00:59.999999", "2016-09-01 00:01:00", "2016-09-01 01:00:00", "2016-09-02 00:00:00",
	"2016-09-04 23:59:59.999999", "2016-09-05 00:00:00", "2016-11-06 05:30:00", "2016-11-06 06:30:00", "2020-02-29 12:00:00", "2020-12-31 00:00:00",
	"2021-01-03 23:00:00", "2021-01-04 00:00:00", "2021-03-01 00:00:00", "9999-12-31 23:59:59.999999", "10000-01-01 00:00:00",
	"294276-12-31 23:59:59.999999", "infinity",
}

var domains = []domain{
	{"bool", []string{"f", "t"}, nil, words},
	{"int2", []string{"-32768", "-1", "0", "1", "9", "10", "99", "32767"}, []string{"0.5", "40000", "-1e9::float8", "10::numeric"}, numbers},
	{"int4", []string{"-2147483648", "-1", "0", "1", "2", "9", "10", "99999", "100000", "2147483647"}, []string{"0.5", "2147483648", "9.0::float8", "'NaN'::float8"}, numbers},
	{"int8", []string{"-9223372036854775808", "-9223372036854775807", "-4611686018427387904", "-1", "0", "1", "9", "10", "4611686018427387904", "9223372036854775806", "9223372036854775807"},
		[]string{"9.5", "1e300::float8", "9223372036854775808", "10::int2"}, numbers},
	{"float4", []string{"-Infinity", "-1.5", "-0", "0", "0.1", "16777216", "Infinity", "NaN"}, []string{"0.1::float8", "16777217", "0.1::numeric"}, nil},
	{"float8", []string{"-Infinity", "-1.5", "-0", "0", "5e-324", "9007199254740992", "Infinity", "NaN"}, []string{"9007199254740993", "-1.5::float4"}, nil},
	{"numeric", []string{"-Infinity", "-1e400", "-100", "-1.50", "-1.5", "-0.5", "0", "0.00", "0.1", "1", "1.0", "1.000000000000000000001", "7", "99.99", "100", "9223372036854775807", "1e400", "Infinity", "NaN"}, []string{"1::int2", "100::int8"},
		[]string{"{bucket(c, 0.5)}", "{bucket(c, 7):019}", "{bucket(c, 100)}", "{bucket(c, .000000000000000000001)}"}},
	{"text", []string{"", "\x01", "\n", " ", ",", "-", "/", "A", "a", "a\x01", "a\n", "a ", "a,", "a,1", "a-", "a-7", "a0", "ab", "ab_", "b", "é", "\U0010ffff"}, []string{"'a '::char(3)", "'ab'::varchar"}, words},
	{"varchar(5)", []string{"", "\x01", " ", "a", "a\n", "a ", "a,1", "a-", "ab", "abcde", "é"}, []string{"'abcdef'::text"}, words},
	{"char(3)", []string{"", "a\x01", "a", "a\n", "a,", "ab", "ab_", "abc", "é"}, []string{"'a'::text", "'a '::varchar"}, words},
	{"name", []string{"", "a", "a-", "ab"}, []string{"'a'::text"}, nil},
	{`"char"`, []string{"", "a", "z"}, nil, nil},
	{"bytea", []string{`\x`, `\x00`, `\x0000`, `\x0001`, `\x01`, `\x61`, `\x6100`, `\xfe`, `\xff`, `\xffff`}, nil, nil},
	{"uuid", []string{"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001", "7fffffff-ffff-ffff-ffff-ffffffffffff", "80000000-0000-4000-8000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"}, nil, words},
	{"date", []string{"-infinity", "4713-01-01 BC", "0001-12-31 BC", "0001-01-01", "1999-12-31", "2000-01-01", "2016-08-31", "2016-09-01", "2016-09-04", "2016-09-05", "2016-09-30", "2020-12-31", "2021-01-03", "2021-01-04", "9999-12-31", "10000-01-01", "294276-12-31", "294277-01-01", "5874897-12-31", "infinity"},
		nil, append(append([]string{"{c}"}, digits...), written(patterns)...)},
	{"timestamp", moments, []string{"'2016-09-01'::date", "'2016-09-05'::date"}, written(patterns, clocks)},
	{"timestamptz", moments, []string{"'2016-09-01 02:00:00+02'::timestamptz", "'2016-09-05'::date"}, written(patterns, clocks)},
	{"time", []string{"00:00:00", "00:00:00.000001", "12:30:00", "23:59:59.999999", "24:00:00"}, nil, nil},
	{"timetz", []string{"00:00:00+15:59", "12:30:00+00", "14:30:00+02", "24:00:00-15:59"}, nil, nil},
	{"interval", []string{"-1 days", "0", "1 day", "24:00:00", "30 days", "1 mon", "178000000 years"}, nil, nil},
	{"inet", []string{"9.255.0.0/16", "10.0.0.0/8", "10.0.0.1", "::", "::1"}, nil, nil},
	{"varbit", []string{"", "0", "00", "01", "1", "11111111", "111111110"}, nil, nil},
	{"int4[]", []string{"{}", "{NULL}", "{1}", "{1,2}", "{{1,2}}", "{2}"}, nil, nil},
	{"text[]", []string{"{}", `{""}`, "{a}", `{a,"b c"}`, "{NULL}"}, nil, nil},
}
