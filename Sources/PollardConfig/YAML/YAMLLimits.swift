// SPDX-License-Identifier: Apache-2.0

/// Bounds on one file, so that no file costs more than a moment and some megabytes.
struct YAMLLimits {
    /// 10,000 endpoints with ten keys each take 2 MB; a file beyond this is a mistake.
    var bytes = 4 << 20
    /// Nodes after the expansion of aliases: 10,000 endpoints of 50 nodes; an alias bomb ends here.
    var nodes = 500_000
    /// Levels of nesting: the configuration needs 6, a JSON body in it has the rest.
    var depth = 32
}
