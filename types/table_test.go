package types

import (
	"bufio"
	"crypto/md5"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"zproxy/sqlerr"
)

// recordedZone is the session's TimeZone in testdata/record.sh.
const recordedZone = "America/New_York"

func recordedEnv(t *testing.T) *Env {
	t.Helper()
	loc, err := time.LoadLocation(recordedZone)
	if err != nil {
		t.Fatal(err)
	}
	return &Env{Location: loc}
}

// recorded calls check for every line of a table that testdata/record.sh filled: the
// inputs and what PostgreSQL answered.
func recorded(t *testing.T, name string, answer func(in []string) string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) < 2 {
			continue
		}
		for i := range columns {
			columns[i] = copyUnescape.Replace(columns[i])
		}
		in, want := columns[:len(columns)-1], columns[len(columns)-1]
		if got := shorten(answer(in)); got != want {
			t.Errorf("%s:%d: %q\n got %s\nwant %s", name, n, in, got, want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// copyUnescape undoes COPY's text format.
var copyUnescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\N`, "NULL")

// shorten does to long answers what record.sh does.
func shorten(s string) string {
	if len(s) > 300 && !strings.HasPrefix(s, "ERROR") {
		return fmt.Sprintf("md5 %x", md5.Sum([]byte(s)))
	}
	return s
}

// shown is a value or an error as record.sh prints it.
func shown(v Value, err error, t T, env *Env) string {
	var e *sqlerr.Error
	switch {
	case errors.As(err, &e):
		s := fmt.Sprintf("ERROR %s: %s", e.Code, e.Message)
		if e.Detail != "" {
			s += " DETAIL " + e.Detail
		}
		if e.Hint != "" {
			s += " HINT " + e.Hint
		}
		if e.Where != "" {
			s += " CONTEXT " + e.Where
		}
		return s
	case err != nil:
		return "not an SQL error: " + err.Error()
	case v.IsNull():
		return ""
	}
	return FormatText(v, t, env)
}

// typeNamed is the type that DDL spells so, without a modifier.
func typeNamed(t *testing.T, name string) T {
	t.Helper()
	info, ok := Lookup(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	return Of(info.OID)
}

func TestInput(t *testing.T) {
	env := recordedEnv(t)
	recorded(t, "input.tsv", func(in []string) string {
		typ := typeNamed(t, in[0])
		v, err := ParseText(in[1], typ, env)
		return shown(v, err, typ, env)
	})
}
