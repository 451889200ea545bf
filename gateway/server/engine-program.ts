/**
 * Prints the server library that a gateway would use on this machine, for `troupe doctor`. It runs
 * as a separate process, because loading the library takes megabytes.
 */
import type { Config } from '../../runtime/config/config.ts'
import { chooseEngine, engineNames } from './engine.ts'

console.log(engineNames[chooseEngine(process.argv[2] as Config['SERVER_ENGINE'])])
