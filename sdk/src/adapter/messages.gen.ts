// Generated from contract/asyncapi.json by `pnpm golden`.
export interface CommandMessage {
  /** Id of the command: a UUID version 7. */
  command_id: string;
  /** Tenant of the command. */
  tenant_id: string;
  /** Vendor in the platform catalog, for example `vendor_a`. */
  vendor: string;
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Command type of the vendor, for example `reboot`. */
  command_type: string;
  /** Parameters of the command, valid for the payload schema of the command type. */
  payload: {
    [key: string]: unknown;
  };
  /** When the platform accepted the command. */
  accepted_at: string;
  /** Deadline of the command, by the clock of the platform. Do not start the command after this time. Read remaining_ms to learn how much time is left. */
  deadline_at: string;
  /** How many milliseconds were left until the deadline when the platform published the message. What is left now is that minus the age of the message by the clock of NATS: your own clock may differ. Start the command only while time is left: no margin is required. A command that cannot start yet may wait until 2 seconds before the deadline. Then do not start it: send adapter_status UNREACHABLE, so that the platform receives it in time. If it was delivered again, send device_execution_status TIMED_OUT instead. */
  remaining_ms: number;
}
export interface CommandUpdate {
  /** Id of the command: a UUID version 7. */
  command_id: string;
  adapter_status?: CommandUpdateAdapterStatus;
  device_execution_status?: CommandUpdateDeviceExecutionStatus;
  status_reason?: CommandUpdateStatusReason;
  progress?: CommandUpdateProgress;
  /** Result from the device. At most 32 KiB as JSON in UTF-8. */
  result?: {
    [key: string]: unknown;
  };
  /** When the change happened, by the clock of the adapter or the device: RFC 3339 with seconds, and Z or an offset. */
  occurred_at?: string;
}
/** What the adapter knows. DELIVERED: the device has the command. REJECTED, UNSUPPORTED: the adapter refuses, and the device did not get the command. UNREACHABLE: the command did not reach the device. FAILED: the adapter failed before it sent anything to the device, for example because time was over. Send none of these four if the device may have the command. If every report is UNREACHABLE, a caller repeats the command without asking the device. TIMED_OUT: the adapter does not know, as TIMED_OUT of the device. All but DELIVERED end the command. After any of these ends, public_status is UNKNOWN if the device was IN_PROGRESS. Required if device_execution_status is absent. */
export type CommandUpdateAdapterStatus = "DELIVERED" | "REJECTED" | "UNSUPPORTED" | "UNREACHABLE" | "FAILED" | "TIMED_OUT";
/** What the device does. IN_PROGRESS: it executes the command. SUCCEEDED: it has executed it. FAILED: it tried and failed. REJECTED: it refused. TIMED_OUT: the adapter does not know, for example after a lost connection or a second delivery. All but IN_PROGRESS end the command, and the first end counts. The platform does not store the reason of a repeated status: if the device executed the command twice, say so in the reason of the first end. If you send device_execution_status, the platform sets adapter_status to DELIVERED. With IN_PROGRESS, an adapter_status in the same message takes precedence. */
export type CommandUpdateDeviceExecutionStatus = "IN_PROGRESS" | "SUCCEEDED" | "FAILED" | "REJECTED" | "TIMED_OUT";
/** Reason for the status. */
export interface CommandUpdateStatusReason {
  /** Machine-readable code. */
  code: string;
  /** Human-readable explanation. */
  message: string;
}
/** Last step that the device has done. Send IN_PROGRESS again for each step. The platform stores at most one step of a command per second: the last one. */
export interface CommandUpdateProgress {
  /** Steps done so far: 0 to `of`. */
  step: number;
  /** Number of all steps, for example 100 for percent: 1 to 1000000000. */
  of: number;
}
export interface DeviceReplyMessage {
  /** Id of the device request: a UUID version 7. */
  device_request_id: string;
  /** Id that the adapter gave the request. */
  dedupe_id: string;
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Type of the request, defined by the vendor, for example `firmware_check`. */
  request_type: string;
  outcome: ReplyOutcome;
  /** Data for the device; null if there is none. */
  payload: {
    [key: string]: unknown;
  } | null;
  error: DeviceReplyMessageError;
  /** When the platform received the reply. */
  replied_at: string;
  /** When the request expires, by the clock of the platform. Do not deliver the reply after this time. */
  expires_at: string;
  /** How many milliseconds were left until the request expires when the platform published the message. What is left now is that minus the age of the message by the clock of NATS. */
  remaining_ms: number;
}
/** Error for the device; null if there is none. */
export type DeviceReplyMessageError = {
  /** Machine-readable code. */
  code: string;
  /** Human-readable explanation. */
  message: string;
} | null;
export interface DeviceRequestMessage {
  /** Id that the vendor uses for the device: 1 to 128 printable characters. */
  device_id: string;
  /** Type of the request, defined by the vendor, for example `firmware_check`. */
  request_type: string;
  /** Data from the device. At most 32 KiB as JSON in UTF-8. */
  payload: {
    [key: string]: unknown;
  };
  /** Id that the adapter gives the request: unique for the device. The platform ignores a repeated request with the same tenant, vendor, device_id and dedupe_id. It parks another request under a used id, with the reason DEDUPE_ID_REUSED. */
  dedupe_id: string;
  /** How long the device waits for a reply, in seconds: 5 to 86400, 300 by default. The time starts when NATS stores the message. */
  expires_in_seconds?: number;
}
/** SUCCESS: the request succeeded. ERROR: the request failed; see `error`. */
export type ReplyOutcome = "SUCCESS" | "ERROR" | (string & {});
