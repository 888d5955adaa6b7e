// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PollardDaemon

let arguments = Array(CommandLine.arguments.dropFirst())
exit(await Program.main(arguments, environment: ProcessInfo.processInfo.environment))
