package advice

import (
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/types"
)

// TestDefaults holds what defaults are known to give: the first of the functions that are known
// counts.
func TestDefaults(t *testing.T) {
	cases := map[string]string{
		"":                                  "",
		"1":                                 "",
		"nextval('s'::regclass)":            "sequence",
		"NEXTVAL ('s')":                     "sequence",
		"'ORD-' || pg_catalog.nextval('s')": "sequence",
		"\"nextval\"('s')":                  "sequence",
		"1 + nextval('s')":                  "sequence",
		"'nextval('":                        "",
		"'it''s nextval('":                  "",
		"'it''s' || nextval('s')":           "sequence",
		"mynextval('s')":                    "",
		"nextval2('s')":                     "",
		"0nextval('s')":                     "",
		"nextval9('s')":                     "",
		"anextval(1)":                       "",
		"znextval(1)":                       "",
		"_nextval(1)":                       "",
		"{nextval}":                         "sequence",
		"`nextval`":                         "sequence",
		"/nextval:":                         "sequence",
		"md5(nextval('s')::text)":           "",
		"nextval('s') || md5('x')":          "sequence",
		"now() || gen_random_uuid()":        "clock",
		"gen_random_uuid() || now()":        "random",
		"to_char(now(), 'YYYY') || md5(random()::text)": "clock",
		"CURRENT_TIMESTAMP(3)":                          "clock",
	}
	for want, names := range map[string]string{
		"clock":  "now() clock_timestamp() statement_timestamp() transaction_timestamp() timeofday() current_timestamp LOCALTIMESTAMP current_date",
		"timed":  "uuidv1() uuidv6() uuidv7() uuid_generate_v1() uuid_generate_v1mc() uuid_generate_v6() uuid_generate_v7()",
		"random": "gen_random_uuid() uuidv4() uuid_generate_v4()",
		"":       "bit_reverse reverse md5 sha224 sha256 sha384 sha512 hashtext hashtextextended hashint8 hashint8extended random gen_random_bytes",
	} {
		for name := range strings.FieldsSeq(names) {
			if want == "" {
				name += "() || nextval('s')"
			}
			cases[name] = want
		}
	}
	for text, want := range cases {
		got := sourceOf(&catalog.Column{Type: types.Text, Default: text})
		if names := map[source]string{clock: "clock", sequence: "sequence", timedUUID: "timed",
			randomUUID: "random"}; names[got] != want {
			t.Errorf("%s is from %q, want %q", text, names[got], want)
		}
	}
	if got := sourceOf(&catalog.Column{Type: types.Int8, Identity: "a"}); got != sequence {
		t.Errorf("an identity column is from %d", got)
	}
}

// TestTimedTexts holds which texts and bytes are taken for uuids that begin with a time.
func TestTimedTexts(t *testing.T) {
	const id = "018f0000-0000-7000-8000-000000000001"
	bare := strings.ReplaceAll(id, "-", "")
	raw := string(uuidOf(bare))
	for _, c := range []struct {
		v    types.Value
		want byte
	}{
		{types.NewText(id), 7},
		{types.NewText(strings.ToUpper(id)), 7},
		{types.NewText(bare), 7},
		{types.NewBytes([]byte(raw)), 7},
		{types.NewBpchar(id + "  "), 7},
		{types.NewText("018f0000-0000-4000-8000-000000000001"), 0},
		{types.NewText("018f0000-0000-7000-4000-000000000001"), 0},
		{types.NewText("018f0000-00007-000-8000-000000000001"), 0},
		{types.NewText("018f00000-000-7000-8000-000000000001"), 0},
		{types.NewText("018f0000-0000-70008-000-000000000001"), 0},
		{types.NewText("018f0000-0000-7000-80000-00000000001"), 0},
		{types.NewText(id + "0"), 0},
		{types.NewText("{" + id + "}"), 0},
		{types.NewText(bare + "00"), 0},
		{types.NewText(bare[:30]), 0},
		{types.NewText("018f0000000070008000zz0000000001"), 0},
		{types.NewText(raw), 0},
		{types.NewText(""), 0},
		{types.NewBytes([]byte(raw[:15])), 0},
		{types.NewBytes([]byte(raw + "x")), 0},
		{types.NewInt(7), 0},
		{types.Null, 0},
	} {
		if got := timedVersion(c.v); got != c.want {
			t.Errorf("%v is of version %d, want %d", c.v, got, c.want)
		}
	}
}
