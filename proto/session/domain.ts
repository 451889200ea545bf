/** The syntax of a domain in domain lists; `runtime/lib/network/domains.ts` defines what one covers. */
import { z } from 'zod'
import { sessionLimits } from './limits.ts'

export const domainSchema = z
  .string()
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i,
    'must look like example.com or *.example.com',
  )
  .max(sessionLimits.domainChars)
