package syscat

import "zproxy/types"

// ownCorrectionsText has the view of what was learned of estimates; see ownRelationsText.
const ownCorrectionsText = `9017 zproxy corrections v
	schemaname name !
	tablename name !
	conditions text !
	factor float8 !
	judged_runs int8 !
`

// correctionCatalogs tell how wrong estimates have been.
func correctionCatalogs() []definition {
	return []definition{{
		schema: ownSchema, name: "corrections", rows: corrections,
		columns: "schemaname tablename conditions factor judged_runs",
	}}
}

func corrections(r *rows) {
	for _, t := range r.Catalog.Tables() {
		for _, c := range t.Stats.Learned.Corrections() {
			r.add(text(r.Catalog.Schema(t.Schema).Name), text(t.Name), text(c.Conditions), types.NewFloat(c.Factor),
				number(c.Runs))
		}
	}
}
