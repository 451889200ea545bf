/** The log of one process: lines of JSON, with times that a person can read and a program can sort. */
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import type { Config } from '../../config/config.ts'

/** `role`: in each line, because the supervisor puts the lines of all processes into one file. */
export const openProcessLog = (
  { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>,
  role: string,
  output: DestinationStream,
): Logger => pino({ level: LOG_LEVEL, base: { role }, timestamp: stdTimeFunctions.isoTime }, output)
