{{/* The longest suffix is -nats-accounts, and a CronJob may have 52 characters. */}}
{{- define "top.name" -}}
{{- if gt (len .Release.Name) 38 }}{{ fail "The name of the release may have at most 38 characters." }}{{ end -}}
{{ .Release.Name }}
{{- end }}

{{- define "top.selector" -}}
app.kubernetes.io/name: tenant-open-platform
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "top.labels" -}}
{{ include "top.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "top.image" -}}
{{ .repository }}{{ with .tag }}:{{ . }}{{ end }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "top.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "top.container" -}}
image: {{ include "top.image" .Values.image }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* What api and worker have in common: a deployment of processes with one role. */}}
{{- define "top.deployment" -}}
{{- $values := get .root.Values .component }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "top.name" .root }}-{{ .component }}
  labels: {{- include "top.labels" . | nindent 4 }}
spec:
  {{- if not (dig "autoscaling" "enabled" false $values) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  selector:
    matchLabels: {{- include "top.selector" . | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels: {{- include "top.labels" . | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      # preStop takes 5 seconds. A stop answers the requests in progress for up to 10 seconds, and ends within 15.
      terminationGracePeriodSeconds: 30
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "top.selector" . | nindent 14 }}
      {{- include "top.placement" .root | nindent 6 }}
      containers:
        - name: platform
          {{- include "top.container" .root | nindent 10 }}
          env:
            - { name: MODE, value: production }
            - { name: ROLE, value: {{ .component }} }
            - { name: PROBES_PORT, value: "8788" }
            - { name: TRUST_PROXY, value: {{ .root.Values.trustProxy | quote }} }
            - { name: NATS_URL, value: {{ .root.Values.nats.url | quote }} }
            - { name: NATS_NKEY_SEED_FILE, value: /secrets/platform.nk }
            # Not KEYRING_FILE: Kubernetes makes the file readable by the group, which the platform refuses.
            - { name: KEYRING_COMMAND, value: cat /secrets/keyring.json }
            - name: DATABASE_URL
              valueFrom:
                secretKeyRef: { name: {{ .root.Values.database.existingSecret }}, key: {{ .root.Values.database.key }} }
            {{- if .root.Values.ca.existingSecret }}
            - { name: NODE_EXTRA_CA_CERTS, value: /secrets/ca.crt }
            {{- end }}
            {{- with .root.Values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - { name: http, containerPort: 8787 }
            - { name: probes, containerPort: 8788 }
          # The first start waits for migrations, and up to 15 seconds each for Postgres and NATS.
          startupProbe:
            httpGet: { path: /livez, port: probes }
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            httpGet: { path: /livez, port: probes }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: {{ .readinessPath }}, port: probes }
            periodSeconds: 5
            timeoutSeconds: 5
          {{- if eq .component "api" }}
          # Until no node sends new connections to this pod.
          lifecycle: { preStop: { exec: { command: [sleep, "5"] } } }
          {{- end }}
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /secrets, readOnly: true }
            - { name: data, mountPath: /data }
      volumes:
        - name: secrets
          projected:
            defaultMode: 0440
            sources:
              - secret:
                  name: {{ .root.Values.keyring.existingSecret }}
                  items: [{ key: {{ .root.Values.keyring.key }}, path: keyring.json }]
              - secret:
                  name: {{ .root.Values.nats.existingSecret }}
                  items: [{ key: {{ .root.Values.nats.key }}, path: platform.nk }]
              {{- with .root.Values.ca.existingSecret }}
              - secret:
                  name: {{ . }}
                  items: [{ key: {{ $.root.Values.ca.key }}, path: ca.crt }]
              {{- end }}
        - name: data
          emptyDir: { medium: Memory, sizeLimit: 16Mi }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "top.name" .root }}-{{ .component }}
  labels: {{- include "top.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  # During an outage of NATS every worker is unready: that must not stop the draining of a node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "top.selector" . | nindent 6 }}
{{- end }}
