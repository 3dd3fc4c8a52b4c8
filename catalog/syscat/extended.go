package syscat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/types"
)

const classStatistics = 3381

// usualTarget is what pg_statistic_ext has where ALTER STATISTICS has set no target.
const usualTarget = -1

// extendedCatalogs tell of statistics objects, and what ANALYZE has found for them, which is shown as the texts that
// PostgreSQL's types for it have.
func extendedCatalogs() []definition {
	return []definition{
		{
			name: "pg_statistic_ext", key: "oid", rows: statisticsObjects,
			columns: "oid stxrelid stxname stxnamespace stxowner stxstattarget stxkeys stxkind",
		},
		{
			name: "pg_statistic_ext_data", key: "stxoid", rows: statisticsData,
			columns: "stxoid stxdinherit stxdndistinct stxddependencies stxdmcv",
		},
	}
}

func statisticsObjects(r *rows) {
	for _, x := range r.Catalog.Statistics(0) {
		schema := r.Catalog.Schema(x.Schema)
		if schema == nil || !r.wants(x.ID) {
			continue
		}
		target := usualTarget
		if x.Target != nil {
			target = *x.Target
		}
		var keys []int16
		for _, id := range x.Columns {
			keys = append(keys, int16(id))
		}
		var kinds []string
		for _, kind := range x.Kinds {
			kinds = append(kinds, string(kind.Letter()))
		}
		r.add(number(x.ID), number(x.Table), text(x.Name), number(schema.ID), number(x.OwnerID()), number(target),
			vector(types.OIDInt2, keys), texts(types.OIDChar, kinds))
	}
}

func statisticsData(r *rows) {
	for _, x := range r.Catalog.Statistics(0) {
		t, ok := r.Catalog.ByID(x.Table).(*catalog.Table)
		if !ok || !r.wants(x.ID) {
			continue
		}
		if data, ok := t.Stats.Extended[x.ID]; ok {
			r.add(number(x.ID), boolean(t.Partitioning != nil), textOrNull(distinctText(&data)),
				textOrNull(dependenciesText(&data)), textOrNull(r.commonText(t, &data)))
		}
	}
}

// distinctText is PostgreSQL's text of a pg_ndistinct, empty for none.
func distinctText(d *extended.Data) string {
	var list []string
	for _, columns := range extended.Subsets(d.Columns, 2) {
		for _, g := range d.Groups {
			if slices.Equal(g.Columns, columns) {
				list = append(list, fmt.Sprintf("%q: %.0f", columnNumbers(columns), g.Distinct))
			}
		}
	}
	return braced(list)
}

// dependenciesText is PostgreSQL's text of a pg_dependencies, empty for none.
func dependenciesText(d *extended.Data) string {
	var list []string
	for _, one := range d.Dependencies {
		list = append(list, fmt.Sprintf("\"%s => %d\": %.6f", columnNumbers(one.From), one.To, one.Degree))
	}
	return braced(list)
}

func columnNumbers(columns []uint32) string {
	list := make([]string, len(columns))
	for i, id := range columns {
		list[i] = strconv.Itoa(int(id))
	}
	return strings.Join(list, ", ")
}

func braced(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// commonText is the list of common combinations that pg_mcv_list_items takes apart, empty for none. PostgreSQL has
// bytes there, whose form is its own.
func (r *rows) commonText(t *catalog.Table, d *extended.Data) string {
	type item struct {
		Values    []*string `json:"values"`
		Frequency float64   `json:"frequency"`
		Base      float64   `json:"base_frequency"`
	}
	var list []item
	for _, c := range d.Common {
		one := item{Frequency: c.Share, Base: c.Base}
		for i, v := range c.Values {
			var shown *string
			if at := t.Ordinal(d.Columns[i]); at >= 0 && !v.IsNull() {
				s := string(types.AppendText(nil, v, t.Columns[at].Type, r.Env))
				shown = &s
			}
			one.Values = append(one.Values, shown)
		}
		list = append(list, one)
	}
	if list == nil {
		return ""
	}
	body, err := json.Marshal(list)
	if err != nil && r.err == nil {
		r.err = err
	}
	return string(body)
}

// statisticsDependencies are those of statistics objects on what they are of.
func (r *rows) statisticsDependencies() {
	for _, x := range r.Catalog.Statistics(0) {
		own := part{classStatistics, x.ID, 0}
		for _, id := range x.Columns {
			r.depends(own, part{classRelations, x.Table, id}, dependsAuto)
		}
		if schema := r.Catalog.Schema(x.Schema); schema != nil {
			r.depends(own, part{classSchemas, schema.ID, 0}, dependsNormal)
		}
	}
}

func (r *rows) statisticsComments() {
	for _, x := range r.Catalog.Statistics(0) {
		r.comment(part{classStatistics, x.ID, 0}, x.Comment)
	}
}
