package remedy

import (
	"fmt"
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// The settings that messages name.
const (
	FullScanSetting  = "zproxy.full_scan"
	MaxUnitsSetting  = "zproxy.max_read_units"
	MaxWritesSetting = "zproxy.max_write_units"
)

// liftHint ends what a client is told.
const liftHint = " ALLOW FILTERING at the end of the statement lets it read everything."

// RefuseFullScan is the error of a statement that may not read all of a table, as a scan would.
func (s *Statement) RefuseFullScan(scan plan.Scan, setting string) error {
	return s.ofFullScan(scan, setting, sqlerr.New(sqlerr.ConfigurationLimitExceeded,
		"statement would read all of table %q", scan.Table.Name))
}

// NoticeFullScan tells of a scan that reads all of a table.
func (s *Statement) NoticeFullScan(scan plan.Scan, setting string) *sqlerr.Error {
	return s.ofFullScan(scan, setting, sqlerr.Notice(sqlerr.SuccessfulCompletion, "statement reads all of table %q",
		scan.Table.Name))
}

// ofFullScan adds to a message about a scan what the client can do.
func (s *Statement) ofFullScan(scan plan.Scan, setting string, message *sqlerr.Error) *sqlerr.Error {
	hint := s.For(scan, func(n plan.Node) bool {
		whole := cost.Unbounded(cost.FullScans(plan.Scans(n)), s.Known)
		return !slices.ContainsFunc(whole, func(other plan.Scan) bool { return other.Table.ID == scan.Table.ID })
	})
	if !scan.Table.Stats.Known && scan.Table.Foreign != nil {
		hint += fmt.Sprintf(" ANALYZE lets a table of at most %d rows be read as a whole.", cost.Few)
	}
	return message.WithDetail("The setting %s is %q.", FullScanSetting, setting).WithHint("%s", hint+liftHint)
}

// RefuseWholeSpace is the error of a scan that would read everything because too many partitions would
// have to be named: how many a condition leaves shows only when the statement runs.
func (s *Statement) RefuseWholeSpace(scan plan.Scan, setting string) error {
	points, intervals := access.Searchable(scan)
	ddl := advice.Propose(scan.Table, catalog.BTree, append(points, intervals...),
		map[string]string{"shards": shardsOfProposal})
	hint := "No index was found that would let it read less."
	if s.reads(scan.Table, ddl) {
		hint = "An index in shards would serve: " + ddl + "."
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would read all of table %q", scan.Table.Name).
		WithDetail("The conditions leave more partitions than can be read one by one, and the setting %s is %q.",
			FullScanSetting, setting).
		WithHint("%s", hint+liftHint)
}

// reads says whether the statement would read an index that is proposed, and not another one that there
// is, perhaps the same.
func (s *Statement) reads(t *catalog.Table, ddl string) bool {
	with := s.WithIndex(t, ddl)
	if with == nil {
		return false
	}
	n, err := s.Planned(with)
	if err != nil {
		return false
	}
	proposed := with.Indexes[len(with.Indexes)-1].Name
	return slices.ContainsFunc(plan.Scans(s.Chosen(n)), func(scan plan.Scan) bool {
		if scan.Table.ID != t.ID || scan.Access == nil {
			return false
		}
		x := scan.Access.Index()
		return x != nil && x.Name == proposed
	})
}

// RefuseUnits is the error of a statement that would be charged more read units than the session allows.
// reads is what another plan would be charged.
func (s *Statement) RefuseUnits(spent cost.Spending, most int64, reads func(plan.Node) float64) error {
	share := " takes them"
	if spent.Most < spent.Units {
		share = fmt.Sprintf(" takes about %.0f of them", math.Ceil(spent.Most))
	}
	hint := s.For(spent.Dearest, func(n plan.Node) bool { return reads(n) <= float64(most) })
	if spent.Dearest.Access.Lookup != nil {
		hint += " An index that holds all columns of the statement would need no lookups."
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would read about %.0f read units, more than %d",
		math.Ceil(spent.Units), most).
		WithDetail("The scan of table %q%s. The limit is the setting %s.", spent.Dearest.Table.Name, share,
			MaxUnitsSetting).
		WithHint("%s LIMIT lets a statement read less, and EXPLAIN (WHY) tells what it reads. SET %s = 0 lifts the limit.", hint, MaxUnitsSetting)
}

// RefuseWrites is the error of a statement that would be charged more write units than the session allows, of which one
// node takes the most.
func RefuseWrites(units float64, most int64, dearest plan.Node, by float64) error {
	share := "takes"
	if by < units {
		share = fmt.Sprintf("takes about %.0f of", math.Ceil(by))
	}
	of, hint := plan.Target(dearest), "Conditions that leave fewer rows let a statement write less"
	if _, inserts := dearest.(plan.Insert); inserts {
		hint = "Fewer rows take less"
	}
	if len(of.Indexes) > 0 {
		hint += ", and so do fewer indexes"
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would write about %.0f write units, more than %d",
		math.Ceil(units), most).
		WithDetail("Writing to table %q %s them. The limit is the setting %s.", of.Name, share, MaxWritesSetting).
		WithHint("%s. EXPLAIN tells what it writes. SET %s = 0 lifts the limit.", hint, MaxWritesSetting)
}
