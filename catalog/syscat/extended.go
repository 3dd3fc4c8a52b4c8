package syscat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/expr/builtin/system"
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
			columns: "oid stxrelid stxname stxnamespace stxowner stxstattarget stxkeys stxkind stxexprs",
		},
		{
			name: "pg_stats_ext_exprs", rows: (*rows).statisticsExpressions,
			columns: "schemaname tablename statistics_schemaname statistics_name statistics_owner expr inherited null_frac " +
				"avg_width n_distinct most_common_vals most_common_freqs histogram_bounds correlation most_common_elems " +
				"most_common_elem_freqs elem_count_histogram",
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
		exprs := strings.Join(r.expressionsOf(x), ", ")
		if exprs != "" {
			kinds = append(kinds, "e")
		}
		r.add(number(x.ID), number(x.Table), text(x.Name), number(schema.ID), number(x.OwnerID()), number(target),
			vector(types.OIDInt2, keys), texts(types.OIDChar, kinds), textOrNull(exprs))
	}
}

// expressionsOf are the texts of the expressions of a statistics object.
func (r *rows) expressionsOf(x *catalog.Statistics) []string {
	if o := r.Objects.Object("pg_statistic_ext", x.ID); o != nil && o.Expressions != nil {
		return o.Expressions(system.Layout{})
	}
	return nil
}

// computedWidth is how many bytes a computed value takes on average, of any length more than a stored one.
func (r *rows) computedWidth(t types.T, known *catalog.ColumnStats) int {
	const more = 3 // bytes of the header
	if width := r.statedWidth(t, known); width == 0 || r.relations.formOf(t.OID).length > 0 {
		return width
	}
	return r.statedWidth(t, known) + more
}

// ownerOf is the name of the owner of a statistics object.
func (r *rows) ownerOf(x *catalog.Statistics) types.Value {
	for _, role := range r.Catalog.Roles() {
		if role.ID == x.OwnerID() {
			return text(r.roleName(role))
		}
	}
	return types.Null
}

// statisticsExpressions tell the owners of tables what is known of the values of expressions.
func (r *rows) statisticsExpressions() {
	for _, x := range r.Catalog.Statistics(0) {
		t, ok := r.Catalog.ByID(x.Table).(*catalog.Table)
		if !ok || !r.Objects.Belongs(r.Objects.Role(), t.OwnerID()).Usage {
			continue
		}
		for i, shown := range r.expressionsOf(x) {
			row := make([]types.Value, 11)
			if e, found := t.Stats.Expression(x.Computed[i]); found {
				known := t.Stats.Columns[e.ID]
				s := slotsOf(e.Type, &known, t.Stats.Rows)
				row[0], row[1] = boolean(t.Partitioning != nil), float4(known.Nulls)
				row[2], row[3] = number(r.computedWidth(e.Type, &known)), float4(s.distinct)
				row[5], row[4] = s.of(commonKind)
				_, row[6] = s.of(histogramKind)
				if correlation, _ := s.of(correlationKind); !correlation.IsNull() {
					row[7] = correlation.Array().Items[0]
				}
				row[9], row[8] = s.of(elementsKind)
				row[10], _ = s.of(countsKind)
			}
			of := []types.Value{text(t.Schema), text(t.Name), text(x.Schema), text(x.Name), r.ownerOf(x), text(shown)}
			r.add(append(of, row...)...)
		}
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
				list = append(list, fmt.Sprintf("%q: %.0f", memberNumbers(d, columns), g.Distinct))
			}
		}
	}
	return braced(list)
}

// dependenciesText is PostgreSQL's text of a pg_dependencies, empty for none.
func dependenciesText(d *extended.Data) string {
	var list []string
	for _, one := range d.Dependencies {
		list = append(list, fmt.Sprintf("\"%s => %s\": %.6f", memberNumbers(d, one.From),
			memberNumbers(d, []uint32{one.To}), one.Degree))
	}
	return braced(list)
}

// memberNumbers are the numbers of columns, and those below 0 that expressions have in their statistics object.
func memberNumbers(d *extended.Data, members []uint32) string {
	list := make([]string, len(members))
	for i, id := range members {
		list[i] = strconv.Itoa(int(id))
		if at := slices.IndexFunc(d.Expressions, func(e extended.Expression) bool { return e.ID == id }); at >= 0 {
			list[i] = strconv.Itoa(-1 - at)
		}
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
			if of, ok := d.TypeOf(d.Columns[i]); ok && !v.IsNull() {
				s := string(types.AppendText(nil, v, of, r.Env))
				shown = &s
			} else if at := t.Ordinal(d.Columns[i]); at >= 0 && !v.IsNull() {
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
		for i := range x.Expressions {
			for _, c := range x.Expressions[i].Over.Columns {
				r.depends(own, part{classRelations, x.Table, c.ID}, dependsAuto)
			}
		}
		if len(x.Columns) == 0 {
			r.depends(own, part{classRelations, x.Table, 0}, dependsAuto)
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
