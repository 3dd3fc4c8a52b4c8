package session

import (
	"fmt"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/password"
	"zproxy/encoding/ordered"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// refused wants a statement to fail with a code.
func refused(t *testing.T, s *Session, text string, code sqlerr.Code) {
	t.Helper()
	if err := ask(t, s, text); !sqlerr.Has(err, code) {
		t.Errorf("%s: %v, want %s", text, err, code)
	}
}

func accepted(t *testing.T, s *Session, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := ask(t, s, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// TestPasswords holds that everybody needs a password once there is one, that a superuser
// always has one then, and that only verifiers are kept.
func TestPasswords(t *testing.T) {
	s, log := watched(t, map[string]string{"log_min_duration_statement": "0"})
	db := s.db
	if !db.Authentication("anybody").Trusted {
		t.Error("a password is asked for while there is none")
	}
	accepted(t, s, "CREATE ROLE bob LOGIN", "CREATE ROLE none_of_them")
	refused(t, s, "ALTER ROLE bob PASSWORD 'hidden1'", sqlerr.ObjectNotInPrerequisiteState)
	refused(t, s, "ALTER ROLE bob PASSWORD 'md50123456789abcdef0123456789abcdef'", sqlerr.FeatureNotSupported)
	accepted(t, s, "ALTER ROLE joe PASSWORD 'hidden2'", "ALTER ROLE bob PASSWORD 'hidden3'")
	refused(t, s, "ALTER ROLE joe PASSWORD NULL", sqlerr.ObjectNotInPrerequisiteState)
	refused(t, s, "ALTER ROLE joe NOLOGIN", sqlerr.ObjectNotInPrerequisiteState)

	boot := db.Snapshot().RoleByID(catalog.BootstrapID)
	if v, err := password.ParseVerifier(boot.Verifier); boot.Name != "joe" || err != nil ||
		v.String() != boot.Verifier {
		t.Errorf("the bootstrap superuser is %+v, %v", boot, err)
	}
	if c := db.Authentication("bob"); c.Trusted || c.Doomed ||
		c.Verifier.String() != db.Snapshot().Role("bob").Verifier {
		t.Errorf("bob must show %+v", c)
	}
	if c := db.Authentication("nobody"); c.Trusted || !c.Doomed {
		t.Errorf("the user nobody must show %+v", c)
	}
	if c := db.Authentication("none_of_them"); c.Trusted || !c.Doomed {
		t.Errorf("a role without a password must show %+v", c)
	}
	accepted(t, s, "ALTER ROLE bob VALID UNTIL '2000-01-02'")
	if !db.Authentication("bob").Doomed {
		t.Error("a password is good when its time is over")
	}
	accepted(t, s, "ALTER ROLE bob VALID UNTIL 'infinity'", "ALTER ROLE bob PASSWORD '"+boot.Verifier+"'")
	if c := db.Authentication("bob"); c.Doomed || c.Verifier.String() != boot.Verifier {
		t.Errorf("with a verifier bob must show %+v", c)
	}
	kept := log.String() + dump(t, db.Store)
	for _, secret := range []string{"hidden1", "hidden2", "hidden3"} {
		if strings.Contains(kept, secret) {
			t.Errorf("%s is in the log or in the store", secret)
		}
	}
	if !strings.Contains(kept, "ALTER ROLE") || !strings.Contains(kept, "SCRAM-SHA-256") {
		t.Error("neither the log nor the store was looked at")
	}
}

// dump is what the store keeps of roles, as text.
func dump(t *testing.T, st store.Store) string {
	t.Helper()
	txn, err := st.Begin(t.Context(), store.Mode{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	space := &store.Space{ID: 1, Name: "zproxy.catalog", Sorted: true, Columns: []store.Column{
		{ID: 1, Name: "kind", Type: types.Text}, {ID: 2, Name: "id", Type: types.Int8}, {ID: 3, Name: "body", Type: types.Text},
	}}
	r := &store.Scan{
		Range:   store.Range{Partition: ordered.Append(nil, types.NewText("role"), false)},
		Columns: []int{2}, Stats: &store.Stats{},
	}
	var out strings.Builder
	for batch, err := range txn.Scan(t.Context(), space, r) {
		if err != nil {
			t.Fatal(err)
		}
		for n := range batch.Len() {
			fmt.Fprintln(&out, batch.Row(n)[0].Text())
		}
	}
	return out.String()
}

// TestWhoMayConnect refuses who is no role, may not log in, is too many, or may not use the
// database.
func TestWhoMayConnect(t *testing.T) {
	s, _ := watched(t, nil)
	try := func(user string, want sqlerr.Code) *Session {
		t.Helper()
		c, err := s.db.Connect(Startup{User: user, Database: "postgres"})
		switch {
		case want == "" && err != nil, want != "" && !sqlerr.Has(err, want):
			t.Errorf("%s: %v, want %q", user, err, want)
		case err == nil:
			t.Cleanup(c.Close)
		}
		return c
	}
	accepted(t, s, "CREATE ROLE door LOGIN CONNECTION LIMIT 1", "CREATE ROLE stranger",
		"ALTER ROLE door SET work_mem = '1MB'",
		"ALTER ROLE door SET log_statement = 'all'", "GRANT stranger TO door", "ALTER ROLE door SET role = stranger")
	try("another name of the superuser", "")
	one := try("door", "")
	if v, _ := one.settings.Get("work_mem"); v != "1MB" {
		t.Errorf("work_mem is %s", v)
	}
	if v, _ := one.settings.Get("log_statement"); v != "all" {
		t.Errorf("log_statement is %s", v)
	}
	if current, session := one.user.Names(); current != "stranger" || session != "door" {
		t.Errorf("the session is %s and %s", current, session)
	}
	accepted(t, one, "RESET ROLE", "SET ROLE none")
	try("door", sqlerr.TooManyConnections)
	try("stranger", sqlerr.InvalidAuthorization)
	accepted(t, s, "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC", "ALTER ROLE door CONNECTION LIMIT -1")
	try("door", sqlerr.InsufficientPrivilege)
	accepted(t, s, "GRANT CONNECT ON DATABASE postgres TO door")
	try("door", "")
	if err := s.db.SetBootstrap(t.Context(), "root", "hidden"); err != nil {
		t.Fatal(err)
	}
	try("root", "")
	try("another name of the superuser", sqlerr.InvalidAuthorization)
	refused(t, one, "SELECT pg_terminate_backend("+fmt.Sprint(s.pid)+")", sqlerr.InsufficientPrivilege)
	refused(t, one, "SELECT * FROM t", sqlerr.InsufficientPrivilege)
	accepted(t, s, "GRANT SELECT ON t TO door")
	accepted(t, one, "SELECT * FROM t")
}

// TestSystemSettings holds that what ALTER SYSTEM keeps is the weakest of what sessions begin with.
func TestSystemSettings(t *testing.T) {
	s, _ := watched(t, nil)
	begins := func(want string) {
		t.Helper()
		c := connect(t, s.db, "postgres")
		if v, _ := c.settings.Get("work_mem"); v != want {
			t.Errorf("work_mem is %s, want %s", v, want)
		}
		c.Close()
	}
	accepted(t, s, "ALTER SYSTEM SET work_mem = '1MB'", "ALTER SYSTEM SET search_path = a, b")
	begins("1MB")
	accepted(t, s, "ALTER ROLE ALL SET work_mem = '2MB'")
	begins("2MB")
	accepted(t, s, "ALTER DATABASE postgres SET work_mem = '3MB'")
	begins("3MB")
	accepted(t, s, "ALTER DATABASE postgres RESET work_mem", "ALTER ROLE ALL RESET ALL")
	begins("1MB")
	accepted(t, s, "ALTER SYSTEM RESET ALL")
	begins("64MB")
	refused(t, s, "ALTER SYSTEM SET nonsense = 1", sqlerr.UndefinedObject)
	refused(t, s, "ALTER SYSTEM SET wal_level = 'logical'", sqlerr.CantChangeRuntimeParam)
	accepted(t, s, "BEGIN")
	refused(t, s, "ALTER SYSTEM SET work_mem = '1MB'", sqlerr.ActiveSQLTransaction)
	accepted(t, s, "ROLLBACK", "CREATE ROLE guest", "SET ROLE guest")
	refused(t, s, "ALTER SYSTEM SET work_mem = '1MB'", sqlerr.InsufficientPrivilege)
	refused(t, s, "ALTER SYSTEM RESET ALL", sqlerr.InsufficientPrivilege)
}
