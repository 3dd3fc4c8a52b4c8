// Package cost estimates and prices plans: what share of the rows of a table conditions keep, how many
// entries, jumps, lookups, requests and read units a scan takes for that, what writing a row does to the
// store, and which scans read whole tables. It reads plans, the catalog's statistics and the capabilities of
// a store. It chooses nothing: package access chooses paths by its numbers, package explain shows them, and
// a session refuses statements by them. Read Known first, then ChargeRanges and Fraction.
package cost
