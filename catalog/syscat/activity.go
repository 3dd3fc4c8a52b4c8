package syscat

import (
	"net/netip"
	"time"

	"zproxy/metrics"
	"zproxy/types"
	"zproxy/types/net"
)

// Connection says from where a session is connected with which database.
type Connection struct {
	DatabaseID uint32
	Database   string
	Client     netip.AddrPort // not valid: the connection is not one of a network
}

// Activity is what a session is doing. Hidden says that the reader may not know
// more of it than whose it is.
type Activity struct {
	Times
	Connection
	PID               uint32
	UserID            uint32 // of the role
	User, Application string
	State, Query      string // the query is the last that was begun
	WaitType, Waits   string // the kind and name of what it waits for; empty: for nothing
	QueryID           uint64 // of its text; 0: there was none
	Hidden            bool
	Copy              *Copy          // that goes on; nil: none
	Index             *IndexProgress // of a building or a check that goes on; nil: none
}

// Times are when a session began what it is doing.
type Times struct {
	Connected   time.Time // the session
	Transaction time.Time // its transaction; zero: there is none
	Started     time.Time // its query
	Changed     time.Time // the state that it is in
}

// Copy is how far a COPY is.
type Copy struct {
	Relation      uint32 // 0: it copies a query
	To            bool
	Bytes, Tuples int64
}

// IndexProgress is how far the building or checking of indexes is.
type IndexProgress struct {
	Command, Phase  string
	Relation, Index uint32 // an index of 0 is one that others do not see yet
	Total, Done     int64  // rows and entries; a total of 0 is not known
}

// Statement is what a text took. Hidden says that the reader may not see the text.
type Statement struct {
	metrics.Statement
	Hidden bool
}

// insufficient stands where a text may not be seen, as in PostgreSQL.
const insufficient = "<insufficient privilege>"

const ownStatementsText = `9011 zproxy statements v
	queryid int8 !
	rolname name !
	query text !
	calls int8 !
	errors int8 !
	total_exec_time float8 !
	min_exec_time float8 !
	max_exec_time float8 !
	mean_exec_time float8 !
	stddev_exec_time float8 !
	lock_wait_time float8 !
	rows int8 !
	rows_read int8 !
	requests int8 !
	ranges int8 !
	lookups int8 !
	bytes_read int8 !
	bytes_written int8 !
	conflicts int8 !
	read_units float8 !
	write_units float8 !
	throttled int8 !
	judged_calls int8 !
	estimated_rows float8
	q_error float8
	estimated_read_units float8
	first_seen timestamptz !
	last_seen timestamptz !
`

// activityCatalogs tell what sessions do and statements took.
func activityCatalogs() []definition {
	return []definition{
		{
			name: "pg_stat_activity", rows: activities,
			fixed:   map[string]types.Value{"backend_type": text("client backend")},
			columns: "datid datname pid usesysid usename application_name client_addr client_port backend_start xact_start query_start state_change wait_event_type wait_event state query_id query",
		},
		{
			name: "pg_stat_progress_copy", rows: copies,
			columns: "datid pid datname relid command type bytes_processed bytes_total tuples_processed tuples_excluded",
		},
		{
			schema: ownSchema, name: "statements", rows: statements,
			columns: "queryid rolname query calls errors total_exec_time min_exec_time max_exec_time mean_exec_time stddev_exec_time lock_wait_time rows rows_read requests ranges lookups bytes_read bytes_written conflicts read_units write_units throttled judged_calls estimated_rows q_error estimated_read_units first_seen last_seen",
		},
	}
}

func activities(r *rows) {
	for _, a := range r.Session.Activity() {
		address, port := types.Null, int64(-1)
		if a.Client.IsValid() {
			address, port = types.NewBytes(net.Host(a.Client.Addr())), int64(a.Client.Port())
		}
		row := []types.Value{
			number(a.DatabaseID), text(a.Database), number(a.PID), number(a.UserID), text(a.User),
			text(a.Application),
			address, types.NewInt(port), moment(a.Connected), momentOrNull(a.Transaction), momentOrNull(a.Started),
			moment(a.Changed),
			types.Null, types.Null, text(a.State), types.Null, text(a.Query),
		}
		switch {
		case a.Waits != "":
			row[12], row[13] = text(a.WaitType), text(a.Waits)
		case a.State != "active":
			row[12], row[13] = text("Client"), text("ClientRead")
		}
		if a.QueryID != 0 {
			row[15] = number(int64(a.QueryID))
		}
		if a.Hidden {
			for i := 6; i < len(row); i++ {
				row[i] = types.Null
			}
			row[16] = text(insufficient)
		}
		r.add(row...)
	}
}

// copies tells of each COPY how far it is. How much data a client will send is unknown, which
// PostgreSQL says by 0.
func copies(r *rows) {
	for _, a := range r.Session.Activity() {
		switch {
		case a.Copy == nil:
			continue
		case a.Hidden:
			null := types.Null
			r.add(number(a.DatabaseID), number(a.PID), text(a.Database), null, null, null, null, null, null, null)
			continue
		}
		command := map[bool]string{true: "COPY TO", false: "COPY FROM"}[a.Copy.To]
		r.add(number(a.DatabaseID), number(a.PID), text(a.Database), number(a.Copy.Relation), text(command),
			text("PIPE"), types.NewInt(a.Copy.Bytes), types.NewInt(0), types.NewInt(a.Copy.Tuples), types.NewInt(0))
	}
}

func momentOrNull(t time.Time) types.Value {
	if t.IsZero() {
		return types.Null
	}
	return moment(t)
}

func statements(r *rows) {
	for _, s := range r.Session.Statements() {
		if s.Hidden {
			s.ID, s.Text = 0, insufficient
		}
		u := &s.Usage
		r.add(number(int64(s.ID)), text(s.User), text(s.Text), number(s.Calls), number(s.Errors),
			milliseconds(s.Total), milliseconds(s.Min), milliseconds(s.Max), milliseconds(s.Mean()),
			milliseconds(s.Deviation()), milliseconds(time.Duration(u[metrics.LockWait])),
			number(u[metrics.RowsReturned]), number(u[metrics.RowsRead]), number(u[metrics.Requests]),
			number(u[metrics.Ranges]),
			number(u[metrics.Lookups]), number(u[metrics.BytesRead]), number(u[metrics.BytesWritten]),
			number(u[metrics.Conflicts]),
			types.NewFloat(u.ReadUnits()), types.NewFloat(u.WriteUnits()), number(u[metrics.Throttled]),
			number(s.Judged.Calls), s.mean(s.Judged.Rows), s.mean(s.Judged.QError()*float64(s.Judged.Calls)),
			s.mean(s.Judged.Units),
			moment(s.First), moment(s.Last))
	}
}

// mean is that of a sum over the calls that were judged by their estimates, NULL without any.
func (s *Statement) mean(sum float64) types.Value {
	if s.Judged.Calls == 0 {
		return types.Null
	}
	return types.NewFloat(sum / float64(s.Judged.Calls))
}

func milliseconds(d time.Duration) types.Value { return types.NewFloat(float64(d) / 1e6) }
