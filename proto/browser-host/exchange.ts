/** Requests of pages and their answers, as the host of the browser keeps them for traced and recorded sessions. */

/** How long each part took, in ms; -1 for what this request did not need, as HAR has it. */
export interface ExchangeTimings {
  /** Until it could be sent, but for the next three. */
  readonly blocked: number
  readonly dns: number
  /** Includes `ssl`. */
  readonly connect: number
  readonly ssl: number
  readonly send: number
  readonly wait: number
  readonly receive: number
}

/** No headers and no bodies. */
export interface Exchange {
  /** 1, 2, 3 …; gaps are exchanges that are no longer kept. */
  readonly n: number
  /** When it was asked for, ISO 8601. */
  readonly at: string
  /** The id of the tab. */
  readonly page: string
  readonly method: string
  /** Without a login, and without the values of its query. */
  readonly url: string
  /** Chromium's type of the resource in small letters, such as `document` or `fetch`. */
  readonly type: string
  /** From `at` until it was received or had failed. */
  readonly ms: number
  /** Absent without an answer. */
  readonly answer?: ExchangeAnswer
  /** Why it failed, such as `net::ERR_CONNECTION_REFUSED`. */
  readonly error?: string
}

export interface ExchangeAnswer {
  readonly status: number
  readonly statusText: string
  /** Such as `h2` or `http/1.1`. */
  readonly protocol: string
  readonly mimeType: string
  /** Received over the network, headers included; 0 from a cache. */
  readonly bytes: number
  readonly isCached: boolean
  /** Where a redirect leads. */
  readonly redirectUrl?: string
  /** Absent if nothing went over the network. */
  readonly timings?: ExchangeTimings
}
