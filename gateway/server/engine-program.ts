/**
 * Prints the server library that a gateway would use here, for `troupe doctor`. A process of its own,
 * because the library takes megabytes.
 */
import type { Config } from '../../runtime/config/config.ts'
import { chooseEngine, engineNames } from './engine.ts'

console.log(engineNames[chooseEngine(process.argv[2] as Config['SERVER_ENGINE'])])
