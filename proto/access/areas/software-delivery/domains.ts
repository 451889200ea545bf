import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  dayField,
  flagField,
  hostnameField,
  listField,
  nameField,
  textField,
  timestampField,
} from '../fields.ts'

const dnsRecord = z.strictObject({
  type: z.enum(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'SRV', 'TXT']),
  name: nameField,
  value: textField,
  ttl_s: z.int().min(0).max(604_800).optional(),
})

export const domainsArea = defineArea({
  key: 'domains',
  fields: {
    hostname: hostnameField,
    registrar: nameField.optional(),
    status: z
      .enum(['pending_verification', 'active', 'expiring', 'expired', 'released'])
      .default('pending_verification'),
    verification: z
      .strictObject({
        method: z.enum(['dns', 'file', 'manual']),
        token: nameField,
        verified_at: timestampField.optional(),
      })
      .optional(),
    nameservers: listField(hostnameField, 20).default([]),
    dns_records: listField(dnsRecord, 200).default([]),
    tls: z.strictObject({ issuer: nameField, not_after: timestampField }).optional(),
    expires_on: dayField.optional(),
    auto_renew: flagField.default(false),
  },
  filterable: ['hostname', 'registrar', 'status', 'auto_renew'],
  sortable: ['hostname', 'expires_on'],
  events: ['domain.verified', 'domain.expiring', 'domain.expired'],
})
