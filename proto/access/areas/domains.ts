import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { day, flag, hostname, list, name, text, time } from './fields.ts'

const dnsRecord = z.strictObject({
  type: z.enum(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'SRV', 'TXT']),
  name,
  value: text,
  ttl_s: z.int().min(0).max(604_800).optional(),
})

export const domains = defineArea({
  key: 'domains',
  fields: {
    hostname,
    registrar: name.optional(),
    status: z
      .enum(['pending_verification', 'active', 'expiring', 'expired', 'released'])
      .default('pending_verification'),
    verification: z
      .strictObject({
        method: z.enum(['dns', 'file', 'manual']),
        token: name,
        verified_at: time.optional(),
      })
      .optional(),
    nameservers: list(hostname, 20).default([]),
    dns_records: list(dnsRecord, 200).default([]),
    tls: z.strictObject({ issuer: name, not_after: time }).optional(),
    expires_on: day.optional(),
    auto_renew: flag.default(false),
  },
  filterable: ['hostname', 'registrar', 'status', 'auto_renew'],
  sortable: ['hostname', 'expires_on'],
  events: ['domain.verified', 'domain.expiring', 'domain.expired'],
})
