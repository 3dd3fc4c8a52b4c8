// Package aggregate is the aggregates: counts, sums, extremes, statistics, ordered sets, and those that
// gather texts and arrays. Those of json are in json. Begin with basicAggregates.
package aggregate

import "slices"

// Aggregates are all aggregates of this family.
var Aggregates = split(slices.Concat(
	basicAggregates, sumAggregates, intervalAggregates, statisticAggregates, arrayAggregates,
	bitAggregates, regressionAggregates, orderedAggregates, hypotheticalAggregates,
))
