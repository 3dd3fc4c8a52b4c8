package types

import (
	"bufio"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"zproxy/internal/recorded"
)

// parseAs reads a literal for a test whose subject is something else.
func parseAs(t *testing.T, s string, typ T, env *Env) Value {
	t.Helper()
	v, err := ParseText(s, typ, env)
	if err != nil {
		t.Fatalf("%s as %s: %v", s, typ, err)
	}
	return v
}

func TestBinary(t *testing.T) {
	env := recordedEnv(t)
	recorded.Each(t, "testdata/binary.tsv", func(in []string) string {
		typ := typeNamed(t, in[0])
		v := parseAs(t, in[1], typ, env)
		p := AppendBinary(nil, v, typ)
		back, err := ParseBinary(p, typ)
		if err != nil || FormatText(back, typ, env) != FormatText(v, typ, env) {
			t.Errorf("%s %s: %x reads back as %s, %v", typ, in[1], p, FormatText(back, typ, env), err)
		}
		return hex.EncodeToString(p)
	})
}

// parseType reads a type with its modifier.
func parseType(t *testing.T, s string) T {
	name, args, found := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	typ := typeNamed(t, name)
	if !found {
		return typ
	}
	var numbers []int
	for arg := range strings.SplitSeq(args, ",") {
		n, err := strconv.Atoi(arg)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	mod, err := Modifier(typ.OID, numbers)
	if err != nil {
		t.Fatal(err)
	}
	typ.Mod = mod
	return typ
}

func TestCast(t *testing.T) {
	env := recordedEnv(t)
	recorded.Each(t, "testdata/cast.tsv", func(in []string) string {
		from, to := typeNamed(t, in[0]), parseType(t, in[2])
		cast, ok := FindCast(from.OID, to.OID)
		if !ok {
			return "ERROR 42846: cannot cast type " + from.String() + " to " + Of(to.OID).String()
		}
		v, err := ParseText(in[1], from, env)
		if err == nil {
			v, err = cast.Fn(v, to, env)
		}
		if err == nil {
			v, err = ApplyMod(v, to, true, nil)
		}
		return shown(v, err, to, env)
	})
}

// TestCastContexts compares the casts with pg_cast, and what has no row there with the
// rules for conversions by text.
func TestCastContexts(t *testing.T) {
	letters := map[string]CastContext{"i": Implicit, "a": Assignment, "e": Explicit}
	rows := make(map[[2]OID]CastContext)
	f, err := os.Open("testdata/pg_cast.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if c := strings.Split(lines.Text(), "\t"); len(c) == 3 {
			rows[[2]OID{typeNamed(t, c[0]).OID, typeNamed(t, c[1]).OID}] = letters[c[2]]
		}
	}
	for _, from := range All() {
		for _, to := range All() {
			if from.Element != OIDInvalid && to.Element != OIDInvalid {
				continue // as their elements
			}
			if from.OID == OIDGeometry || to.OID == OIDGeometry || from.Extension+to.Extension != "" {
				continue // which PostgreSQL has not
			}
			want, ok := rows[[2]OID{from.OID, to.OID}]
			switch {
			case ok:
			case from.OID == to.OID:
				want, ok = Implicit, true
			case from.Category == CategoryPseudo && from.OID != OIDRecord && from.OID != OIDVoid &&
				from.OID != OIDAnyArray ||
				to.Category == CategoryPseudo:
			case from.OID == OIDUnknown:
				want, ok = Implicit, true
			case to.OID == OIDUnknown:
			case from.Category == CategoryString:
				want, ok = Explicit, true
			case to.Category == CategoryString:
				want, ok = Assignment, true
			}
			if got, found := FindCast(from.OID, to.OID); found != ok || got.Context != want {
				t.Errorf("%s to %s: got %v, %v, want %v, %v", from.Name, to.Name, got.Context, found, want, ok)
			}
		}
	}
}

func TestTypeName(t *testing.T) {
	recorded.Each(t, "testdata/name.tsv", func(in []string) string {
		mod, err := strconv.Atoi(in[1])
		if err != nil {
			t.Fatal(err)
		}
		return T{OID: typeNamed(t, in[0]).OID, Mod: int32(mod)}.String()
	})
}
