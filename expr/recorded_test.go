package expr_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/expr/builtin/window"
	"zproxy/internal/pglocal"
	"zproxy/types"
)

var record = flag.Bool("record", false, "record pgdata from PostgreSQL")

// The columns are those that recordedProcs and its like read; NULLs are empty.
const (
	procsQuery = `SELECT p.oid, p.pronamespace::regnamespace, p.proname, p.prokind, array_to_string(p.proargtypes::oid[], ' '), p.prorettype,
		p.provolatile, p.proisstrict, p.proretset, p.proleakproof, p.proparallel, p.provariadic,
		coalesce(array_to_string(p.proargnames, ','), ''), coalesce(array_to_string(p.proargmodes, ''), ''), coalesce(array_to_string(p.proallargtypes, ' '), ''),
		array_to_string(ARRAY(SELECT pg_get_function_arg_default(p.oid, i) FROM generate_series(1, p.pronargs) i), E'\x01'), pg_get_function_arguments(p.oid), p.procost, p.prorows, p.prolang, p.prosrc, coalesce(pg_get_function_sqlbody(p.oid), ''),
		coalesce(obj_description(p.oid, 'pg_proc'), ''), pg_get_function_identity_arguments(p.oid), coalesce(pg_get_function_result(p.oid), ''),
		coalesce(nullif(p.prosupport::text, '-'), '')
		FROM pg_proc p WHERE p.pronamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND p.prokind <> 'p' ORDER BY p.oid`
	operatorsQuery = `SELECT oid, oprname, oprleft, oprright, oprresult, oprcom, oprnegate, oprcode::oid, oprrest::oid, oprjoin::oid, oprcanmerge, oprcanhash,
		coalesce(obj_description(oid, 'pg_operator'), '') FROM pg_operator ORDER BY oid`
	castsQuery      = `SELECT oid, castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast ORDER BY oid`
	aggregatesQuery = `SELECT aggfnoid::oid, aggkind, aggnumdirectargs, aggtransfn::oid, aggfinalfn::oid, aggcombinefn::oid, aggserialfn::oid, aggdeserialfn::oid,
		aggmtransfn::oid, aggminvtransfn::oid, aggmfinalfn::oid, aggfinalextra, aggmfinalextra, aggfinalmodify, aggmfinalmodify, aggsortop,
		aggtranstype, aggtransspace, aggmtranstype, aggmtransspace, coalesce(agginitval, ''), coalesce(aggminitval, ''), agginitval IS NULL, aggminitval IS NULL
		FROM pg_aggregate ORDER BY aggfnoid::oid`
	// what reads, prints and describes the values of types
	typesQuery  = `SELECT oid, typinput::oid, typoutput::oid, typreceive::oid, typsend::oid, typmodin::oid, typmodout::oid, typanalyze::oid, typsubscript::oid FROM pg_type`
	rangesQuery = `SELECT rngcanonical::oid, rngsubdiff::oid FROM pg_range`
	// what parsers and templates of text search consist of
	searchQuery = `SELECT prsstart::oid, prstoken::oid, prsend::oid, prsheadline::oid, prslextype::oid FROM pg_ts_parser
		UNION ALL SELECT tmplinit::oid, tmpllexize::oid, 0, 0, 0 FROM pg_ts_template`
)

// TestRecorded wants OIDs to be PostgreSQL's for all that it has, and others to stay what
// they are: those are in the table of functions and here. With -record the files of pgdata
// are made anew, with what zproxy has of PostgreSQL.
func TestRecorded(t *testing.T) {
	if *record {
		newRecorder(t).all()
		t.Skip("recorded; run again to compare")
	}
	own, seen := map[uint32]string{}, map[uint32]string{}
	for _, f := range builtin.Tables() {
		if f.OID != 0 {
			own[f.OID] = name(f)
		}
	}
	for _, f := range builtin.All() {
		if f.Syntax {
			continue
		}
		if other := seen[f.OID]; f.OID == 0 || other != "" && other != f.Name {
			t.Errorf("%s(%s) has no OID of its own: %d", name(f), argumentNames(f), f.OID)
		}
		if p := builtin.ProcByOID(f.OID); p == nil || p.Name != f.Name {
			t.Errorf("%s(%s): the row of pg_proc is %v", name(f), argumentNames(f), p)
		}
		seen[f.OID] = f.Name // an operator's function may be in the table twice
	}
	if !maps.Equal(own, ownOIDs) {
		t.Errorf("the OIDs of zproxy's own functions have changed: %#v", own)
	}
	for oid := range own {
		if oid < 9500 || oid >= 10000 {
			t.Errorf("%d is not in the range of zproxy's own", oid)
		}
	}
	for i, p := range builtin.Procs() {
		if i > 0 && builtin.Procs()[i-1].OID >= p.OID {
			t.Errorf("two procedures have the OID %d", p.OID)
		}
	}
	for _, o := range pgproc.OperatorRows() {
		if builtin.ProcByOID(o.Code) == nil {
			t.Errorf("operator %s: there is no procedure %d", o.Name, o.Code)
		}
	}
	for key, kind := range aggregatesAndWindows() {
		if pgproc.OIDs(builtin.Procs())[key] == 0 {
			t.Errorf("%c %s is not recorded", kind, key)
		}
	}
}

// ownOIDs are those of functions that PostgreSQL does not have; they never change.
var ownOIDs = map[uint32]string{
	9500: "pg_stat_statements_reset", 9501: "bit_reverse", 9502: "bit_reverse", 9503: "bit_reverse", 9504: "uuidv7",
	9505: "uuidv7",
	9506: "uuid_extract_version", 9507: "uuid_extract_timestamp", 9520: "zproxy.check_index", 9530: "zproxy.expire",
	9540: "zproxy.wait_for_index", 9541: "zproxy.cancel_build", 9542: "zproxy.set_build_rate",
	9570: "zproxy.changes", 9571: "zproxy.apply_changes", 9572: "zproxy.cell_timestamp",
	9550: "zproxy.zorder_ranges", 9581: "timezone", 9582: "timezone", 9583: "timezone",
	9560: "zproxy.resume_token", 9580: "zproxy.forget_corrections",
	9600: "st_point", 9601: "st_makepoint", 9602: "st_x", 9603: "st_y", 9604: "st_distance",
	9605: "st_dwithin", 9606: "st_astext", 9607: "st_geomfromtext",
	9608: "st_geomfromtext", 9609: "st_point", 9610: "st_srid", 9611: "st_setsrid", 9612: "st_geometrytype",
	9613: "st_envelope", 9614: "st_makeenvelope", 9615: "st_makeenvelope", 9616: "st_contains", 9617: "st_within",
	9618: "st_covers", 9619: "st_coveredby", 9620: "st_intersects", 9621: "st_disjoint", 9622: "st_asbinary",
	9623: "st_asewkb", 9624: "st_asewkt", 9625: "st_geomfromwkb", 9626: "st_geomfromwkb", 9627: "st_isempty",
	9628: "st_expand", 9629: "st_xmin", 9630: "st_ymin", 9631: "st_xmax", 9632: "st_ymax", 9633: "st_makeline",
	9634: "st_area", 9635: "st_length", 9636: "geometry_distance_centroid", 9637: "geometry_overlaps",
	9640: "st_geomfromewkt",
	9700: "uuid-ossp.uuid_nil", 9701: "uuid-ossp.uuid_ns_dns", 9702: "uuid-ossp.uuid_ns_url", 9703: "uuid-ossp.uuid_ns_oid",
	9704: "uuid-ossp.uuid_ns_x500", 9705: "uuid-ossp.uuid_generate_v1", 9706: "uuid-ossp.uuid_generate_v1mc",
	9707: "uuid-ossp.uuid_generate_v3", 9708: "uuid-ossp.uuid_generate_v4", 9709: "uuid-ossp.uuid_generate_v5",
	9710: "pgcrypto.digest", 9711: "pgcrypto.digest", 9712: "pgcrypto.hmac", 9713: "pgcrypto.hmac",
	9714: "pgcrypto.gen_random_bytes", 9715: "pgcrypto.crypt", 9716: "pgcrypto.gen_salt", 9717: "pgcrypto.gen_salt",
	9718: "pgcrypto.encrypt", 9719: "pgcrypto.decrypt", 9720: "pgcrypto.encrypt_iv", 9721: "pgcrypto.decrypt_iv",
	9730: "pg_trgm.show_trgm", 9731: "pg_trgm.similarity", 9732: "pg_trgm.word_similarity",
	9733: "pg_trgm.strict_word_similarity", 9734: "pg_trgm.similarity_op", 9735: "pg_trgm.word_similarity_op",
	9736: "pg_trgm.word_similarity_commutator_op", 9737: "pg_trgm.strict_word_similarity_op",
	9738: "pg_trgm.strict_word_similarity_commutator_op", 9739: "pg_trgm.similarity_dist",
	9740: "pg_trgm.word_similarity_dist_op", 9741: "pg_trgm.word_similarity_dist_commutator_op",
	9742: "pg_trgm.strict_word_similarity_dist_op", 9743: "pg_trgm.strict_word_similarity_dist_commutator_op",
	9744: "pg_trgm.show_limit", 9745: "pg_trgm.set_limit",
	9750: "citext.citext_eq", 9751: "citext.citext_ne", 9752: "citext.citext_lt", 9753: "citext.citext_le",
	9754: "citext.citext_gt", 9755: "citext.citext_ge", 9756: "citext.citext_cmp", 9757: "citext.citext_larger",
	9758: "citext.citext_smaller", 9760: "citext.texticlike", 9761: "citext.texticnlike",
	9762: "citext.texticregexeq", 9763: "citext.texticregexne", 9764: "citext.texticlike", 9765: "citext.texticnlike",
	9766: "citext.texticregexeq", 9767: "citext.texticregexne", 9770: "citext.citext", 9771: "citext.citext",
	9772: "citext.citext", 9773: "citext.regexp_match", 9774: "citext.regexp_match", 9775: "citext.regexp_matches",
	9776: "citext.regexp_matches", 9777: "citext.regexp_replace", 9778: "citext.regexp_replace",
	9779: "citext.regexp_split_to_array", 9780: "citext.regexp_split_to_array", 9781: "citext.regexp_split_to_table",
	9782: "citext.regexp_split_to_table", 9783: "citext.strpos", 9784: "citext.replace", 9785: "citext.split_part",
	9786: "citext.translate",
	9800: "hstore.hstore_in", 9801: "hstore.hstore_out", 9802: "hstore.hstore_recv", 9803: "hstore.hstore_send",
	9804: "hstore.hstore_version_diag", 9805: "hstore.fetchval", 9806: "hstore.slice_array", 9807: "hstore.slice",
	9808: "hstore.isexists", 9809: "hstore.exist", 9810: "hstore.exists_any", 9811: "hstore.exists_all",
	9812: "hstore.isdefined", 9813: "hstore.defined", 9814: "hstore.delete", 9815: "hstore.delete",
	9816: "hstore.delete", 9817: "hstore.hs_concat", 9818: "hstore.hs_contains", 9819: "hstore.hs_contained",
	9820: "hstore.tconvert", 9821: "hstore.hstore", 9822: "hstore.hstore", 9823: "hstore.hstore",
	9824: "hstore.hstore", 9825: "hstore.hstore_to_json", 9826: "hstore.hstore_to_json_loose",
	9827: "hstore.hstore_to_jsonb", 9828: "hstore.hstore_to_jsonb_loose", 9829: "hstore.hstore_to_array",
	9830: "hstore.hstore_to_matrix", 9831: "hstore.akeys", 9832: "hstore.avals", 9833: "hstore.skeys",
	9834: "hstore.svals", 9835: "hstore.each", 9836: "hstore.populate_record", 9837: "hstore.hstore_eq",
	9838: "hstore.hstore_ne", 9839: "hstore.hstore_gt", 9840: "hstore.hstore_ge", 9841: "hstore.hstore_lt",
	9842: "hstore.hstore_le", 9843: "hstore.hstore_cmp", 9844: "hstore.hstore_hash",
	9845: "hstore.hstore_hash_extended", 9846: "hstore.hstore_subscript_handler",
}

func aggregatesAndWindows() map[string]byte {
	keys := map[string]byte{}
	for _, a := range builtin.AllAggregates() {
		if a.OID != 0 {
			continue // which PostgreSQL does not have
		}
		args := a.Args
		if a.Hypothetical {
			args = []types.OID{types.OIDAny}
		}
		keys[pgproc.Key('a', "", a.Name, args)] = 'a'
	}
	for _, w := range window.Functions {
		keys[pgproc.Key('w', "", w.Name, w.Args)] = 'w'
	}
	return keys
}

// recorder chooses the rows of PostgreSQL's that zproxy has.
type recorder struct {
	t      *testing.T
	conn   *pgconn.PgConn
	wanted map[uint32]bool // procedures that others name
}

func newRecorder(t *testing.T) *recorder {
	conn, err := pgconn.Connect(context.Background(),
		"postgres://postgres@"+pglocal.Start(t)+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &recorder{t: t, conn: conn, wanted: map[uint32]bool{}}
}

func (r *recorder) lines(query string) []string {
	var b strings.Builder
	if _, err := r.conn.CopyTo(context.Background(), &b, "COPY ("+query+") TO STDOUT"); err != nil {
		r.t.Fatal(err)
	}
	return slices.Collect(strings.Lines(b.String()))
}

func (r *recorder) write(name string, lines []string) {
	if err := os.WriteFile("builtin/pgproc/pgdata/"+name+".txt", []byte(strings.Join(lines, "")), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// want notes procedures by their columns.
func (r *recorder) want(c pgproc.Fields, columns ...int) {
	for _, i := range columns {
		r.wanted[c.Number(i)] = true
	}
}

func known(c pgproc.Fields, columns ...int) bool {
	for _, i := range columns {
		if oid := types.OID(c.Number(i)); oid != 0 && types.InfoOf(oid).OID != oid {
			return false
		}
	}
	return true
}

// userTypeProcs are what compares, reads and prints the values of enums and domains, of which there are none at first.
var userTypeProcs = []uint32{2597, 2598, 3506, 3507, 3514, 3515, 3532, 3533}

// triggerProcs are the functions of triggers that are built in.
var triggerProcs = []uint32{3752, 3753}

func (r *recorder) all() {
	for _, oid := range userTypeProcs {
		r.wanted[oid] = true
	}
	for _, line := range r.lines(typesQuery) {
		if c := pgproc.Row(line); known(c, 0) {
			r.want(c, 1, 2, 3, 4, 5, 6, 7, 8)
		}
	}
	for _, line := range r.lines(rangesQuery) {
		r.want(pgproc.Row(line), 0, 1)
	}
	for _, oid := range triggerProcs {
		r.wanted[oid] = true
	}
	for _, line := range r.lines(searchQuery) {
		r.want(pgproc.Row(line), 0, 1, 2, 3, 4)
	}
	var kept []string
	for _, line := range r.lines(operatorsQuery) {
		if c := pgproc.Row(line); known(c, 2, 3, 4) && r.hasOperator(c) {
			r.want(c, 7, 8, 9)
			kept = append(kept, line)
		}
	}
	r.write("operators", kept)
	kept = nil
	for _, line := range r.lines(castsQuery) {
		if c := pgproc.Row(line); known(c, 1, 2) {
			r.want(c, 3)
			kept = append(kept, line)
		}
	}
	r.write("casts", kept)
	r.procs()
}

// hasOperator says whether an operator can be called: a comparison, or in the table.
func (r *recorder) hasOperator(c pgproc.Fields) bool {
	sign, left, right := c[1], types.OID(c.Number(2)), types.OID(c.Number(3))
	if slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, sign) {
		return true
	}
	if left == pg.Name && strings.Contains("!~~*", sign) {
		left = pg.Text // which names are cast to
	}
	args := pg.Sig{left, right}
	if left == 0 {
		args = pg.Sig{right}
	}
	return slices.ContainsFunc(builtin.All(), func(f *expr.Function) bool {
		return f.Operator == sign && slices.Equal(f.Args, args)
	})
}

func (r *recorder) procs() {
	keys := aggregatesAndWindows()
	for _, f := range builtin.All() {
		keys[pgproc.Key('f', f.Schema, f.Name, builtin.ArgumentOIDs(f))] = 'f'
	}
	lines, has := r.lines(procsQuery), map[uint32]bool{}
	for _, line := range lines {
		c := pgproc.Row(line)
		if key := pgproc.Key(c[3][0], c[1], c[2], c.OIDs(4)); keys[key] != 0 {
			has[c.Number(0)] = true
			delete(keys, key)
		}
	}
	var aggregates []string
	for _, line := range r.lines(aggregatesQuery) {
		if c := pgproc.Row(line); has[c.Number(0)] {
			r.want(c, 3, 4, 5, 6, 7, 8, 9, 10)
			aggregates = append(aggregates, line)
		}
	}
	r.write("aggregates", aggregates)
	r.write("procs", slices.DeleteFunc(lines, func(line string) bool {
		oid, _, _ := strings.Cut(line, "\t")
		n, _ := strconv.Atoi(oid)
		return !has[uint32(n)] && !r.wanted[uint32(n)]
	}))
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		fmt.Println("PostgreSQL does not have", key)
	}
}
