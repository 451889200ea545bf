/** Defaults of settings that a program needs before, or without, loading the whole table. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export const defaultPort = 8080
export const defaultDataDir = (): string => join(homedir(), '.troupe')
