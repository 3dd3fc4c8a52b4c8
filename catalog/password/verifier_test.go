package password

import (
	"strings"
	"testing"
)

// recorded are passwords and what PostgreSQL 15 made of them.
var recorded = map[string]string{
	"pencil":     "SCRAM-SHA-256$4096:4RlenZeZeRf2iNlXNN81pg==$p2VtYovkmMam12hIXJQWybujT2ANLY9oIaYNabEn7+4=:jHo6fRCpX6x8JcSCBok3YTQY0A+xFLs2raPpU2MmKz8=",
	"I\u00adX":   "SCRAM-SHA-256$4096:2wwiBG2mFEs5QFyaQADncw==$E7xSS5uoLgpLDtxksTE4uC/9egxa/Tla6c+9SvH1rFk=:OC63j8kkwlaGO19C+g0QURnBJ6nH0gx+ASgLgEBrK8c=",
	"tab\there":  "SCRAM-SHA-256$4096:RCZLaj0682/H4tOos+wQIA==$zrIvTpU1mjJsQ/vCTk3cuLakT6+EhWJmu/OzfuY6KwQ=:5EWh1XjfD1BOYxrocZZYw6Dhw/dRTZfeb6yXMWfdH6A=",
	"\U0001f600": "SCRAM-SHA-256$4096:ZtiWf1pkSl4PZJSslmY8vQ==$9uWkGoRD35wCVURQwTiMwpHzE8+OxujlR71f6GYWW7A=:+47KjeMdo23Dw30glggB4rbmd9T0uMNliXqUv1A/eEc=",
}

func TestVerifierIsPostgreSQLs(t *testing.T) {
	for password, want := range recorded {
		theirs, err := ParseVerifier(want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		ours, err := newVerifier(password, theirs.Salt)
		if err != nil || ours.String() != want {
			t.Errorf("%q: got %s, %v, want %s", password, ours, err, want)
		}
	}
}

func TestVerifierHasItsOwnSalt(t *testing.T) {
	one, err := NewVerifier("pencil")
	other, alsoErr := NewVerifier("pencil")
	if err != nil || alsoErr != nil || one.String() == other.String() {
		t.Errorf("got %s and %s, %v, %v", one, other, err, alsoErr)
	}
}

func TestParseVerifierRefuses(t *testing.T) {
	good := recorded["pencil"]
	for _, text := range []string{
		"", "pencil", "md5cc6b98a65d2b4ee7d2a3a4d7a8ac1d4e", good[:len(good)-1], good + "$", good + "=",
		strings.Replace(good, "256", "512", 1), strings.Replace(good, "4096", "0", 1),
		strings.Replace(good, "4096", "-1", 1),
		strings.Replace(good, "4096", "2000000", 1), strings.Replace(good, "4096", "99999999999999999999", 1),
		strings.Replace(good, "4RlenZeZeRf2iNlXNN81pg==", "", 1), strings.Replace(good, "+4=", "==", 1),
	} {
		if v, err := ParseVerifier(text); err == nil {
			t.Errorf("%q was taken as %s", text, v)
		}
	}
}
